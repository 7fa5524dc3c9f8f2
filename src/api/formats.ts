import {
  cidrProblems,
  configMapKeyProblems,
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  httpHeaderNameProblems,
  labelValueProblems,
  legacyCidrProblems,
  legacyIpProblems,
  parseGroupVersion,
  pathSegmentNameProblems,
  portNameProblems,
  qualifiedNameProblems,
  relaxedEnvVarNameProblems,
  ValueError,
} from './values/index.ts';

type Check = (value: string) => readonly string[];

const none: readonly string[] = [];

function matching(pattern: RegExp, problem: string): Check {
  return (value) => (pattern.test(value) ? none : [problem]);
}

/** A label key with a domain in front: `example.com/drainer`. */
function prefixedKeyProblems(value: string): readonly string[] {
  const problems = qualifiedNameProblems(value);
  if (problems.length > 0 || value.includes('/')) return problems;
  return ["must include a prefix (e.g. 'example.com/key')"];
}

function backstepProblems(value: string): readonly string[] {
  return value.split('/').includes('..') ? ["must not contain '..'"] : none;
}

/** The checks of the `format=` flags in the definition files. */
const checks: Readonly<Record<string, Check>> = {
  apiversion: (value) => (parseGroupVersion(value) instanceof ValueError ? [`invalid apiVersion ${value}`] : none),
  canonicalcidr: (value) => cidrProblems(value),
  caselessdns1035label: (value) =>
    joined('may have mixed case, but should otherwise match: ', dns1035LabelProblems(value.toLowerCase())),
  caselessdns1123subdomain: (value) => dns1123SubdomainProblems(value.toLowerCase()),
  caselessqualifiedname: (value) => qualifiedNameProblems(value.toLowerCase()),
  celidentifier: matching(/^[A-Za-z_]\w*$/, 'must be a valid CEL identifier'),
  cidr: (value) => legacyCidrProblems(value),
  configmapkey: configMapKeyProblems,
  dns1035label: dns1035LabelProblems,
  dns1123label: dns1123LabelProblems,
  dns1123subdomain: dns1123SubdomainProblems,
  envname: relaxedEnvVarNameProblems,
  httpheadername: httpHeaderNameProblems,
  ip: (value) => legacyIpProblems(value),
  labelvalue: labelValueProblems,
  nobacksteps: backstepProblems,
  pathsegment: pathSegmentNameProblems,
  portname: portNameProblems,
  portorname: portNameProblems,
  prefixedlabelkey: prefixedKeyProblems,
  qualifiedname: qualifiedNameProblems,
  relativepath: (value) => [
    ...(value.startsWith('/') ? ['must be a relative path'] : none),
    ...backstepProblems(value),
  ],
  uuid: matching(
    /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/,
    'must be a lowercase UUID in 8-4-4-4-12 format',
  ),
};

/** The problems of a value with a format, in upstream's words. A format that only a kind's own rules check passes here. */
export function checkFormat(format: string, value: string): readonly string[] {
  return checks[format]?.(value) ?? none;
}

function joined(intro: string, problems: readonly string[]): readonly string[] {
  return problems.length === 0 ? none : [intro + problems.join(',')];
}
