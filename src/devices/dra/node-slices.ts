import type { Client } from '../../client/index.ts';

export interface NodeSlicesOptions {
  /** Drivers whose slices stay; default none. */
  readonly except?: ReadonlySet<string>;
}

/** Deletes the ResourceSlices of a node, of one driver or of all. */
export function nodeSlices(
  client: Client,
  node: string,
  { except = new Set() }: NodeSlicesOptions = {},
): (driver: string | undefined) => Promise<void> {
  return async (driver) => {
    const ofDrivers =
      driver === undefined ? [...except].map((kept) => `spec.driver!=${kept}`) : [`spec.driver=${driver}`];
    const fieldSelector = [`spec.nodeName=${node}`, ...ofDrivers].join(',');
    await client.resource.v1.resourceslices.deleteCollection({ fieldSelector });
  };
}
