import type { HookAnswer } from './hook-answer.ts';

/** How the definition says that the webhook is reached. */
export type HookPlace =
  | 'good'
  | 'other authority'
  | 'no authority'
  | 'other name'
  | 'other address'
  | 'expired'
  | 'not yet valid'
  | 'plain http'
  | 'closed port'
  | 'no service'
  | 'service without port'
  | 'service without endpoints'
  | 'external service';

/** One way in which a webhook answers, and what is asked of the API server meanwhile. */
export interface Scenario {
  readonly name: string;
  readonly place?: HookPlace;
  /** Default `v1`. */
  readonly reviewVersions?: readonly string[];
  readonly answer?: HookAnswer;
}

/** What came of it: the Status of the refusal, or the object. */
export interface Outcome {
  readonly code: number;
  readonly body: unknown;
}

/** Of the real server. `get` reads in another version than the stored one, `create` writes in another one. */
export interface RecordedScenario {
  readonly name: string;
  readonly get: Outcome;
  readonly create: Outcome;
  readonly list: Outcome;
}

export const GROUP = 'stable.example.com';

/** An object that is stored as v1, before the server adds to it. */
export const stored = {
  apiVersion: `${GROUP}/v1`,
  kind: 'CronTab',
  metadata: { name: 'one', namespace: 'default', labels: { a: '1' }, annotations: { b: '2' } },
  spec: { hostPort: 'localhost:80' },
};
