import type { Client } from '../../client/index.ts';

/** Deletes the ResourceSlices of a node, of one driver or of all. */
export function nodeSlices(client: Client, node: string): (driver: string | undefined) => Promise<void> {
  return async (driver) => {
    const ofDriver = driver === undefined ? '' : `,spec.driver=${driver}`;
    const fieldSelector = `spec.nodeName=${node}${ofDriver}`;
    await client.resource.v1.resourceslices.deleteCollection({ fieldSelector });
  };
}
