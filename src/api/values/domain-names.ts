import { dns1123LabelProblems, dns1123SubdomainProblems } from './dns-names.ts';
import { qualifiedNameProblems } from './label-names.ts';
import { httpPathProblems } from './names.ts';

/** A problem of a field whose reported value is a part of the field, or missing. */
export type DomainProblem =
  | { readonly type: 'Required' }
  | { readonly type: 'Invalid'; readonly value: string; readonly detail: string };

/** Checks a domain of at least three segments, without a dot at the end. */
export function fullyQualifiedNameProblems(name: string): readonly DomainProblem[] {
  if (name === '') return [{ type: 'Required' }];
  const problems = dns1123SubdomainProblems(name);
  if (problems.length > 0) return [invalid(name, problems.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalid(name, 'should be a domain with at least three segments separated by dots')];
}

/** Checks a domain of at least two segments; a dot may end it. */
export function fullyQualifiedDomainNameProblems(name: string): readonly DomainProblem[] {
  if (name === '') return [{ type: 'Required' }];
  const domain = name.endsWith('.') ? name.slice(0, -1) : name;
  const problems = dns1123SubdomainProblems(domain);
  if (problems.length > 0) return [invalid(domain, problems.join(','))];
  const labels = domain.split('.');
  if (labels.length < 2) {
    return [invalid(domain, 'should be a domain with at least two segments separated by dots')];
  }
  const wrong = labels.find((label) => dns1123LabelProblems(label).length > 0);
  return wrong === undefined ? [] : [invalid(wrong, dns1123LabelProblems(wrong).join(','))];
}

/** Checks a path after a domain, such as `acme.io/foo/bar`. */
export function domainPrefixedPathProblems(value: string): readonly DomainProblem[] {
  if (value === '') return [{ type: 'Required' }];
  const slash = value.indexOf('/');
  if (slash < 1 || slash === value.length - 1) {
    return [invalid(value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const host = value.slice(0, slash);
  const path = value.slice(slash + 1);
  return [
    ...dns1123SubdomainProblems(host).map((problem) => invalid(host, problem)),
    ...httpPathProblems(path).map((problem) => invalid(path, problem)),
  ];
}

/** Checks a key after a domain, such as `acme.io/foo`. */
export function domainPrefixedKeyProblems(value: string): readonly DomainProblem[] {
  if (value === '') return [{ type: 'Required' }];
  const problems = qualifiedNameProblems(value);
  if (problems.length > 0) return problems.map((problem) => invalid(value, problem));
  return value.includes('/') ? [] : [invalid(value, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}

function invalid(value: string, detail: string): DomainProblem {
  return { type: 'Invalid', value, detail };
}
