import { dns1123SubdomainProblems } from '../../api/client.ts';

/** The parts of `cache.example.dev/v1`. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export function groupVersionOf(apiVersion: string): GroupVersion {
  const [group = '', version = '', ...rest] = apiVersion.split('/');
  if (version === '' || rest.length > 0 || dns1123SubdomainProblems(group).length > 0)
    throw new Error(`Cannot define a kind of "${apiVersion}": it must be GROUP/VERSION, such as cache.example.dev/v1`);
  return { group, version };
}
