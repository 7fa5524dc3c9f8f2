// A broker of the kit with plans of every kind, which the suite judges.
import { setTimeout as wait } from 'node:timers/promises';
import { type BrokerVerb, serviceBroker, type ServiceBroker } from '../../../src/broker/published.ts';

const EVERY: readonly BrokerVerb[] = ['provision', 'update', 'deprovision', 'bind', 'unbind'];
const WORK_MS = 120;

const parameters = {
  type: 'object',
  properties: { size: { type: 'integer', minimum: 1, default: 1 }, label: { type: 'string' } },
  additionalProperties: false,
} as const;
const bindParameters = {
  type: 'object',
  properties: { role: { type: 'string', enum: ['reader', 'writer'] } },
} as const;

export function triedBroker(): ServiceBroker {
  return serviceBroker({
    catalog: {
      database: {
        id: 'd6b4c7f0-0001-4000-8000-000000000001',
        description: 'Databases',
        planUpdateable: true,
        plans: {
          now: {
            id: 'd6b4c7f0-0001-4000-8000-000000000002',
            description: 'Made at once',
            parameters,
            bindParameters,
            maintenance: { version: '1.2.3' },
            rotatable: true,
          },
          later: {
            id: 'd6b4c7f0-0001-4000-8000-000000000003',
            description: 'Made in the background',
            parameters,
            bindParameters,
            async: EVERY,
          },
        },
      },
      logs: {
        id: 'd6b4c7f0-0002-4000-8000-000000000001',
        description: 'Logs of applications',
        needsApp: true,
        requires: ['syslog_drain'],
        plans: { only: { id: 'd6b4c7f0-0002-4000-8000-000000000002', description: 'The only one', parameters } },
      },
    },
    provision: ({ plan }) => work(plan),
    update: ({ plan }) => work(plan),
    deprovision: ({ plan }) => work(plan),
    async bind({ id, plan, service }) {
      await work(plan);
      if (service === 'logs') return { syslogDrainUrl: 'syslog://logs.example.com:6514' };
      return {
        credentials: { user: id },
        endpoints: [{ host: 'db.example.com', ports: ['5432'] }],
        renewBefore: new Date(Date.UTC(2099, 0, 1)),
        expiresAt: new Date(Date.UTC(2099, 1, 1)),
      };
    },
    unbind: ({ plan }) => work(plan),
    dashboard: ({ id }) => `https://dash.example.com/${encodeURIComponent(id)}`,
  });
}

async function work(plan: string): Promise<void> {
  if (plan === 'later') await wait(WORK_MS);
}
