import { expect, test } from 'vitest';
import { admissionEnvironment, AuthorizerValue } from '../../cel/index.ts';
import type { AccessRequest, Authorizer } from './authorizer.ts';
import { evaluateWithAccess } from './expression-access.ts';

const EXPRESSION =
  "authorizer.group('apps').resource('deployments').namespace('web').check('create').allowed() && " +
  "!authorizer.serviceAccount('web', 'robot').path('/metrics').check('get').allowed()";

const compiled = admissionEnvironment({ hasAuthorizer: true }).compile(EXPRESSION);
if (!compiled.ok) throw new Error(compiled.issues.toString());
const program = compiled.expression.program();

/** Counts evaluations and questions. */
function run(authorize: Authorizer['authorize']): { readonly result: unknown; readonly asked: string[]; runs: number } {
  const asked: string[] = [];
  const state = { result: undefined as unknown, asked, runs: 0 };
  const authorizer: Authorizer = {
    authorize(request) {
      const { user, info } = request;
      asked.push(`${user.name} ${info.verb} ${info.isResource ? `${info.namespace}/${info.resource}` : info.path}`);
      return authorize(request);
    },
  };
  state.result = evaluateWithAccess(
    (oracle) => {
      state.runs += 1;
      return program.evaluate({ authorizer: new AuthorizerValue(oracle) });
    },
    { user: { name: 'joe', groups: [] }, signal: new AbortController().signal },
    authorizer,
  );
  return state;
}

const joeMay = ({ user }: AccessRequest): { verdict: 'allow' | 'deny'; reason: string } => ({
  verdict: user.name === 'joe' ? 'allow' : 'deny',
  reason: '',
});

const QUESTIONS = ['joe create web/deployments', 'system:serviceaccount:web:robot get /metrics'];

test('an expression is evaluated once when authorizers answer synchronously', () => {
  expect(run(joeMay)).toMatchObject({ result: { ok: true, value: true }, asked: QUESTIONS, runs: 1 });
});

test('an expression waits for asynchronous authorizers, and asks each question once', async () => {
  const state = run(async (request) => joeMay(request));
  expect(await state.result).toMatchObject({ ok: true, value: true });
  expect(state).toMatchObject({ asked: QUESTIONS, runs: 3 });
});

test('an error of an authorizer fails the evaluation', async () => {
  const state = run(async () => {
    throw new Error('gone');
  });
  await expect(state.result).rejects.toThrow('gone');
});
