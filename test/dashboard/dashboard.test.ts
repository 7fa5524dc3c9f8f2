import { afterAll, beforeAll, describe } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { describeAccessibility } from './accessibility-cases.ts';
import { describeHostileContents } from './hostile-cases.ts';
import { describeInsight } from './insight-cases.ts';
import { describeObjects } from './objects-cases.ts';
import { describeSafety } from './safety-cases.ts';
import { describeTables } from './tables-cases.ts';
import { Shared } from './support/shared.ts';

const shared = new Shared();

describe('the dashboard in a browser', requires('chromium-headless-shell'), () => {
  beforeAll(() => shared.start());
  afterAll(() => shared.stop());
  describeTables(shared);
  describeObjects(shared);
  describeHostileContents(shared);
  describeSafety(shared);
  describeInsight(shared);
  describeAccessibility(shared);
});
