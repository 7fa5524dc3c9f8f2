/** How a discovery that found some groups, but not all, is put into words. */
export function describeDiscoveryFailures(failures: ReadonlyMap<string, string>): string | undefined {
  if (failures.size === 0) return undefined;
  const groups = [...failures].map(([groupVersion, reason]) => `${groupVersion}: ${reason}`).sort();
  const failure = `unable to retrieve the complete list of server APIs: ${groups.join(', ')}`;
  return `Discovery failed for some groups, ${failures.size} failing: ${failure}`;
}
