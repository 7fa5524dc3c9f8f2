import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  invalidValue,
  quoteGo,
  required,
  tooLong,
} from '../api/index.ts';

const MAX_DOMAIN = 253;
const MAX_NAME = MAX_DOMAIN + MAX_DOMAIN + 63 + 2;

/** A signer's name is a domain and a path. */
export function checkSignerName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  const [domain = '', path, ...rest] = name.split('/');
  if (path === undefined || rest.length > 0) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidValue(field, name, detail)];
  }
  const labels = domain.split('.');
  return [
    ...(Buffer.byteLength(domain) > MAX_DOMAIN ? [tooLong(field, MAX_DOMAIN)] : []),
    ...checkLabels(domain, field, dns1123LabelProblems),
    ...(labels.length < 2
      ? [invalidValue(field, domain, 'should be a domain with at least two segments separated by dots')]
      : []),
    ...checkLabels(path, field, dns1123SubdomainProblems),
    ...(Buffer.byteLength(name) > MAX_NAME ? [tooLong(field, MAX_NAME)] : []),
  ];
}

/** Whether the signer's domain is one of Kubernetes itself. */
export function isSignerOfKubernetes(name: string): boolean {
  return /(^|\.)kubernetes\.io$/.test(name.split('/')[0] ?? '');
}

/** Only the first invalid part is reported. */
function checkLabels(text: string, field: string, problemsOf: (label: string) => readonly string[]): FieldError[] {
  const wrong = text.split('.').find((label) => problemsOf(label).length > 0);
  if (wrong === undefined) return [];
  return problemsOf(wrong).map((problem) =>
    invalidValue(field, text, `validating label ${quoteGo(wrong)}: ${problem}`),
  );
}
