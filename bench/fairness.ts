// npm run bench:fairness: what it costs a request that needs not wait to get its seats, beside plain counting.
import { ConcurrencyLimiter } from '../src/apiserver/stages/limit-concurrency.ts';
import { type EncodedAnswer, inProcessCall, type InProcessCall, type Stage } from '../src/apiserver/index.ts';
import { MetricRegistry, RealClock } from '../src/base/index.ts';
import { flowObjects } from '../src/fairness/bootstrap/flow-objects.ts';
import { FairLimiter } from '../src/fairness/fair-limiter.ts';
import { FlowControl } from '../src/fairness/flow-control.ts';
import { FlowMetrics } from '../src/fairness/metrics/flow-metrics.ts';
import { levelOf, schemaOf } from '../src/fairness/testing/limited-server.ts';

const ROUNDS = 200_000;
const clock = new RealClock();
const ANSWER: EncodedAnswer = { code: 200, headers: {}, body: new Uint8Array() };
const DONE = { code: 200, bytes: 0, outcome: 'complete' } as const;
const USERS = {
  masters: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
  'a service account': {
    name: 'system:serviceaccount:kube-system:robot',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  },
  'anybody else': { name: 'alice', groups: ['system:authenticated'] },
};

for (const [who, user] of Object.entries(USERS)) {
  await measure(`counting, ${who}`, new ConcurrencyLimiter({ maxReads: 400, maxWrites: 200 }, clock).stage, user);
  await measure(`fairness, ${who}`, fairStage(0), user);
  await measure(`fairness with 1,000 more schemas and levels, ${who}`, fairStage(1000), user);
}

function fairStage(more: number): Stage {
  const metrics = new FlowMetrics(new MetricRegistry(), clock);
  const control = new FlowControl({ clock, metrics, serverSeats: 600 });
  const own = flowObjects().map(({ plural, name, spec }) => ({ plural, object: { metadata: { name }, spec } }));
  const names = Array.from({ length: more }, (_, index) => `more-${index}`);
  const of = (plural: string): object[] => own.filter((each) => each.plural === plural).map(({ object }) => object);
  control.configure(
    [...of('prioritylevelconfigurations'), ...names.map((name) => levelOf(name, { shares: 1 }))],
    [...of('flowschemas'), ...names.map((name) => schemaOf(name, name, [name], 700))],
  );
  const sizes = { of: () => undefined };
  const encode = (): EncodedAnswer => ANSWER;
  return new FairLimiter({ clock, control, metrics, sizes, serverSeats: 600, requestTimeoutMs: 60_000, encode }).stage;
}

async function measure(name: string, stage: Stage, user: InProcessCall['principal']['user']): Promise<void> {
  const next = async (): Promise<EncodedAnswer> => ANSWER;
  const round = async (count: number): Promise<number> => {
    let spent = 0;
    for (let each = 0; each < count; each++) {
      const call = inProcessCall({ method: 'PUT', path: '/api/v1/namespaces/a/configmaps/b', user, clock });
      void call.info;
      const start = performance.now();
      await stage(call, next);
      call.finish(DONE);
      spent += performance.now() - start;
    }
    return (spent / count) * 1000;
  };
  await round(ROUNDS / 10);
  const micros = Math.min(await round(ROUNDS), await round(ROUNDS));
  console.log(`${micros.toFixed(2).padStart(8)} µs  ${name}`);
}
