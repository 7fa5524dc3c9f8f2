import type { Case } from './base-definition.ts';
import { nameCases } from './name-cases.ts';
import { partCases } from './part-cases.ts';
import { ruleCases } from './rule-cases.ts';
import { schemaCases } from './schema-cases.ts';
import { updateCases } from './update-cases.ts';

/** Definitions, right and wrong, that are sent to the real server and to ours. */
export const corpus: readonly Case[] = [...nameCases, ...partCases, ...schemaCases, ...ruleCases, ...updateCases];
