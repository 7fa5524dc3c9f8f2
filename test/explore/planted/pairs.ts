import { crashSafety } from './crash-safety.ts';
import { errors } from './errors.ts';
import { inputs } from './inputs.ts';
import { names } from './names.ts';
import { outside } from './outside.ts';
import type { Pair } from './site.ts';
import { staleViews } from './stale-views.ts';
import { status } from './status.ts';

/** All planted mistakes, each with an operator that is correct. */
export const pairs: readonly Pair[] = [
  ...crashSafety,
  ...outside,
  ...staleViews,
  ...errors,
  ...names,
  ...status,
  ...inputs,
];
