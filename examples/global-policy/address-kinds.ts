import { resource } from 'keelson';
import { z } from 'zod';

const GROUP = 'policy.example.com/v1';

/** Addresses for pods. Nodes share it: there are no ranges of single nodes. */
export const AddressPool = resource(GROUP, 'AddressPool', {
  scope: 'Cluster',
  spec: z.object({
    /** IPv4. Its first address is the gateway's. */
    cidr: z.string().regex(/^\d+\.\d+\.\d+\.\d+\/(1[6-9]|2\d|30)$/),
    /** Labels of nodes that take addresses from it; all nodes when it is left out. */
    nodes: z.record(z.string(), z.string()).optional(),
  }),
});

/** An address that is in use. Its name is the address, so that the API server gives it to one container only. */
export const PodAddress = resource(GROUP, 'PodAddress', {
  scope: 'Cluster',
  plural: 'podaddresses',
  spec: z.object({ pool: z.string(), node: z.string(), pod: z.string().optional() }),
});
