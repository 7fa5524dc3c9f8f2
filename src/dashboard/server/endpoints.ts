import { causes } from './causes/causes.ts';
import { clock } from './clock.ts';
import { dryRun } from './dry-run.ts';
import type { Endpoint } from './endpoint.ts';
import { extensions } from './extensions/extensions.ts';
import { forwards } from './forwards/forwards.ts';
import { info } from './info.ts';
import { learn } from './learn.ts';
import { history, state } from './past/past-endpoints.ts';
import { requests } from './requests.ts';

interface ServedEndpoint {
  readonly methods: readonly string[];
  /** Refused where the dashboard only shows. */
  readonly isWrite?: boolean;
  readonly answer: Endpoint;
}

const READ = ['GET'];

/** What is served below `/keelson/`, by the first segment of the path. */
export const endpoints: Readonly<Record<string, ServedEndpoint>> = {
  causes: { methods: READ, answer: causes },
  clock: { methods: ['GET', 'POST'], isWrite: true, answer: clock },
  'dry-run': { methods: ['POST'], answer: dryRun },
  extensions: { methods: READ, answer: extensions },
  forwards: { methods: ['GET', 'POST', 'DELETE'], isWrite: true, answer: forwards },
  history: { methods: READ, answer: history },
  info: { methods: READ, answer: info },
  learn: { methods: READ, answer: learn },
  requests: { methods: READ, answer: requests },
  state: { methods: READ, answer: state },
};
