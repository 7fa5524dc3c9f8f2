import { dns1123SubdomainWithUnderscoreProblems, invalidValue, legacyIpProblems, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { PodSpec } from '../../api/types/core/v1.d.ts';

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;

/** Name servers and search paths, within what resolvers can take. */
export function checkDnsConfig({ dnsConfig, dnsPolicy }: PodSpec, field: string): FieldError[] {
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (nameservers.length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [required(`${field}.nameservers`, detail)];
    }
  }
  return [
    ...checkNameservers(nameservers, `${field}.nameservers`),
    ...checkSearches(searches, `${field}.searches`),
    ...options.flatMap(({ name = '' }, index) =>
      name === '' ? [required(`${field}.options[${index}]`, 'must not be empty')] : [],
    ),
  ];
}

function checkNameservers(servers: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (servers.length > MAX_NAMESERVERS) {
    errors.push(invalidValue(field, servers, `must not have more than ${MAX_NAMESERVERS} nameservers`));
  }
  for (const [index, server] of servers.entries()) {
    for (const problem of legacyIpProblems(server)) errors.push(invalidValue(`${field}[${index}]`, server, problem));
  }
  return errors;
}

function checkSearches(searches: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > MAX_SEARCHES) {
    errors.push(invalidValue(field, searches, `must not have more than ${MAX_SEARCHES} search paths`));
  }
  if (searches.join(' ').length > MAX_SEARCH_CHARACTERS) {
    const detail = `must not have more than ${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`;
    errors.push(invalidValue(field, searches, detail));
  }
  for (const [index, search] of searches.entries()) {
    if (search === '.') continue;
    const name = search.replace(/\.$/, '');
    for (const problem of dns1123SubdomainWithUnderscoreProblems(name)) {
      errors.push(invalidValue(`${field}[${index}]`, name, problem));
    }
  }
  return errors;
}
