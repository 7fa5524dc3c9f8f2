import { type App, app } from 'keelson';
import { defaultProfile, type PluginFactory, scheduler, unschedulable } from 'keelson/scheduler';

export const PRICE = 'acme.dev/price-per-hour';
export const BUDGET = 'acme.dev/budget-per-hour';

/** A plugin: prefers the cheapest node, and rejects nodes above the pod's budget. */
const cheapest: PluginFactory = () => ({
  name: 'Cheapest',
  events: [{ resource: 'Node', actions: ['Add', 'UpdateNodeLabel'] }],
  filter({ pod }, { node }) {
    const budget = Number(pod.pod.metadata.annotations?.[BUDGET] ?? Infinity);
    const price = Number(node?.metadata.labels?.[PRICE] ?? 0);
    return price <= budget ? undefined : unschedulable('Cheapest', 'node(s) were too expensive');
  },
  score: (_, { node }) => Math.round(100 / (1 + Number(node?.metadata.labels?.[PRICE] ?? 0))),
});

/** A scheduler for the pods that name it; the cluster's scheduler handles all others. */
export function thriftyScheduler(): App {
  const plugins = [...defaultProfile.plugins, { name: 'Cheapest', weight: 10 }];
  return app('thrifty', [
    scheduler({ profiles: [{ schedulerName: 'thrifty', plugins }], plugins: new Map([['Cheapest', cheapest]]) }),
  ]);
}
