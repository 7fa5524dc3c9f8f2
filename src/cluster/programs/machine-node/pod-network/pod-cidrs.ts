import { isIpv4, parseCidr } from '../../../../api/values/index.ts';
import { FlagError } from '../../flag.ts';

/** What `--pod-cidr` says: one range, or one of each family; empty where it is not given. */
export function podCidrsOf(given: readonly string[]): readonly string[] {
  const families = given.map((cidr) => {
    const prefix = parseCidr(cidr);
    if (prefix === undefined) throw new FlagError(`--pod-cidr must be a range such as 10.244.0.0/24, got "${cidr}"`);
    return isIpv4(prefix.address);
  });
  if (new Set(families).size !== families.length)
    throw new FlagError(`--pod-cidr must be one range, or one of each family, got "${given.join()}"`);
  return given;
}
