import { type ObjectOf, resource } from 'keelson';

/** A kind with no program: the API server stores, validates and shows zones, and that is all. */
export const Zone = resource('test.com/v1', 'Zone', {
  scope: 'Cluster',
  spec: {
    type: 'object',
    properties: { city: { type: 'string', nullable: true, description: 'Where the zone is' } },
  },
});
export type Zone = ObjectOf<typeof Zone>;
