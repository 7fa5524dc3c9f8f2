import { api, type App, app, extensionServer, memoryStorage, type ObjectOf, resource } from 'keelson';

const GROUP = 'wardle.example.dev/v1alpha1';

/** A flunder may refer to a fischer or to another flunder. */
export const Flunder = resource(GROUP, 'Flunder', {
  spec: {
    type: 'object',
    properties: {
      reference: { type: 'string' },
      referenceType: { type: 'string', enum: ['Flunder', 'Fischer'] },
    },
  },
  status: { type: 'object', properties: { phase: { type: 'string' } } },
  rules: {
    'has(self.spec.reference) == has(self.spec.referenceType)': {
      at: '',
      message: 'reference and referenceType go together',
    },
  },
  columns: {
    Reference: (flunder) => flunder.spec.reference,
    Type: { path: (flunder) => flunder.spec.referenceType, priority: 1 },
    Age: (flunder) => flunder.metadata?.creationTimestamp,
  },
  selectableFields: [(flunder) => flunder.spec.reference],
  shortNames: ['fl'],
});
export type Flunder = ObjectOf<typeof Flunder>;

export const Fischer = resource(GROUP, 'Fischer', {
  scope: 'Cluster',
  spec: { type: 'object', properties: { disallowedFlunders: { type: 'array', items: { type: 'string' } } } },
});
export type Fischer = ObjectOf<typeof Fischer>;

/** Both kinds, kept in the memory of this process. */
export function wardleApp(port = 0): App {
  const wardle = api(GROUP, { flunders: memoryStorage(Flunder), fischers: memoryStorage(Fischer) });
  return app('wardle', [], { server: extensionServer({ apis: [wardle], port }) });
}
