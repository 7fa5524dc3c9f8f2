import type { Scenario } from '../scenario.ts';
import { defaults } from './defaults.ts';
import { embedded } from './embedded.ts';
import { formats } from './formats.ts';
import { lists } from './lists.ts';
import { messages } from './messages.ts';
import { pruning } from './pruning.ts';
import { random } from './random.ts';
import { ratcheting } from './ratcheting.ts';
import { rules } from './rules.ts';
import { statuses } from './statuses.ts';
import { strictness } from './strictness.ts';
import { transitions } from './transitions.ts';
import { updates } from './updates.ts';
import { values } from './values.ts';
import { versions } from './versions.ts';

/** All that is recorded. */
export const scenarios: readonly Scenario[] = [
  ...formats,
  ...values,
  ...defaults,
  ...pruning,
  ...strictness,
  ...embedded,
  ...lists,
  ...rules,
  ...messages,
  ...transitions,
  ...ratcheting,
  ...statuses,
  ...updates,
  ...versions,
  ...random,
];
