import { serviceBroker, type ServiceBroker } from 'keelson/broker';
import type { KeyValues } from './key-values.ts';

const keys = {
  type: 'object',
  properties: { maxKeys: { type: 'integer', minimum: 1, maximum: 1000, default: 10 } },
} as const;
const role = {
  type: 'object',
  properties: { role: { type: 'string', enum: ['reader', 'writer'], default: 'writer' } },
} as const;

/** Sells stores of `KeyValues`; `url` is where applications reach them. */
export function keyValueBroker(stores: KeyValues, url: string): ServiceBroker {
  return serviceBroker({
    catalog: {
      'key-values': {
        id: '5f7a1f0e-2c51-4b7e-9a57-6d1f5b0c1a01',
        description: 'Texts by key',
        planUpdateable: true,
        plans: {
          small: {
            id: '5f7a1f0e-2c51-4b7e-9a57-6d1f5b0c1a02',
            description: 'At most 1000 keys',
            parameters: keys,
            bindParameters: role,
          },
          slow: {
            id: '5f7a1f0e-2c51-4b7e-9a57-6d1f5b0c1a03',
            description: 'The same, made in the background',
            parameters: keys,
            bindParameters: role,
            async: true,
          },
        },
      },
    },
    provision: ({ id, parameters }) => stores.open(id, parameters.maxKeys),
    update: ({ id, parameters }) => stores.open(id, parameters.maxKeys),
    deprovision: ({ id }) => stores.close(id),
    bind: ({ id, instance, parameters }) => ({
      credentials: { url, token: stores.letIn(instance.id, id, parameters.role === 'writer') },
    }),
    unbind: ({ id }) => stores.lockOut(id),
    pollEvery: '1s',
  });
}
