import { access } from './access.ts';
import { aggregation } from './aggregation.ts';
import { conversion } from './conversion.ts';
import { definition } from './definition.ts';
import { deployment } from './deployment.ts';
import { eviction } from './eviction.ts';
import { extender } from './extender.ts';
import { garbageCollection } from './garbage-collection.ts';
import type { Walk } from './learn-step.ts';
import { operator } from './operator.ts';
import { webhook } from './webhook.ts';

/** The walks of `keelson learn`, the easiest first. */
export const walks: readonly Walk[] = [
  deployment,
  definition,
  operator,
  webhook,
  conversion,
  extender,
  garbageCollection,
  eviction,
  access,
  aggregation,
];
