import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  maskTrailingDash,
  pathSegmentNameProblems,
  pathSegmentPrefixProblems,
} from '../api/index.ts';

/** What is wrong with a name, or with the start of one that is to be generated. */
export type NameRule = (name: string, options: { readonly prefix: boolean }) => readonly string[];

/** A generated name goes on after its prefix, so a dash at the end of that is no mistake. */
function masked(problems: (name: string) => readonly string[]): NameRule {
  return (name, { prefix }) => problems(prefix ? maskTrailingDash(name) : name);
}

export const subdomainName: NameRule = masked((name) => dns1123SubdomainProblems(name));
export const labelName: NameRule = masked((name) => dns1123LabelProblems(name));
export const dns1035Name: NameRule = masked(dns1035LabelProblems);

/** Anything that can stand in a URL path. */
export const pathSegmentName: NameRule = (name, { prefix }) =>
  prefix ? pathSegmentPrefixProblems(name) : pathSegmentNameProblems(name);
