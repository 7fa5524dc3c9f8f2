import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  maskTrailingDash,
  pathSegmentNameProblems,
  pathSegmentPrefixProblems,
} from '../api/index.ts';

/** The problems of a name, or of a prefix for a generated one. */
export type NameRule = (name: string, options: { readonly prefix: boolean }) => readonly string[];

/** A suffix follows the prefix of a generated name, so the prefix may end in a dash. */
function masked(problems: (name: string) => readonly string[]): NameRule {
  return (name, { prefix }) => problems(prefix ? maskTrailingDash(name) : name);
}

export const subdomainName: NameRule = masked((name) => dns1123SubdomainProblems(name));
export const labelName: NameRule = masked((name) => dns1123LabelProblems(name));
export const dns1035Name: NameRule = masked(dns1035LabelProblems);

/** Any valid segment of a URL path. */
export const pathSegmentName: NameRule = (name, { prefix }) =>
  prefix ? pathSegmentPrefixProblems(name) : pathSegmentNameProblems(name);
