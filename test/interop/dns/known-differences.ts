// Where our answers differ from CoreDNS', and why that is right.

export interface KnownDifference {
  readonly label: RegExp;
  readonly reason: string;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    label: /^(CLUSTER\.LOCAL\. NS|ns\.dns\.CLUSTER\.local\. (A|AAAA|SRV|NS))$/,
    reason: "case does not matter in DNS (RFC 4343): CoreDNS finds the zone's servers only in lower case",
  },
  {
    label: /^(www\.example\.org\.|\.|local\.|xcluster\.local\.|cluster\.local\.example\.org\.) (A|NS)( EDNS)?$/,
    reason: 'a name of no zone is refused where there is no upstream server: CoreDNS fails, and clients ask again',
  },
  { label: /^a header alone$/, reason: 'a message without the question that its header counts is malformed' },
];

export function whyDifferent(label: string): string | undefined {
  return KNOWN_DIFFERENCES.find((known) => known.label.test(label))?.reason;
}
