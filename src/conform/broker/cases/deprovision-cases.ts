import { deepEqual } from '../../../base/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import { checkBegun, expectObject, objectOf } from '../answers.ts';
import { type BrokerWorld, deleteQuery, expectRefusal, pathOf, shown } from '../broker-world.ts';
import { eachAsyncPlan, eachPlan, isRetrievable } from './each-plan.ts';
import { expectCode } from './expect-code.ts';

const DEPROVISION = 'OSB 2.17, Deprovisioning';
const MANDATORY = '400 Bad Request must be returned if the request is malformed or missing mandatory data.';

type Rule = ConformCase<BrokerWorld>;

/** One of the ways to delete an instance that lacks a parameter. */
function deleteWithout(field: 'service_id' | 'plan_id'): Rule {
  return {
    name: `deprovision-without-${field.replace(/_.*/, '')}`,
    title: `DELETE of an instance without "${field}" is refused with 400, and the instance stays`,
    rule: MANDATORY,
    source: DEPROVISION,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const id = await world.instance(tried, signal);
      const query = new URLSearchParams(deleteQuery(tried));
      query.delete(field);
      expectRefusal(await world.deprovision(id, tried, { query: query.toString(), signal }), [400], 'DELETE');
      const reply = await world.deprovision(id, tried, { signal });
      await world.finished('deprovision', reply, { path: pathOf(id), signal });
    }),
  };
}

export const deprovisionCases: readonly Rule[] = [
  {
    name: 'deprovision',
    title: 'an instance is deleted, 200 or 202, and gone then: 410 and 404',
    rule: '200 OK must be returned if the instance was deleted, 202 while that is in progress, 410 if it does not exist.',
    source: DEPROVISION,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const id = await world.instance(tried, signal);
      const reply = await world.deprovision(id, tried, { signal });
      expectObject(reply, 'DELETE');
      if (reply.status === 202) checkBegun(reply, 'DELETE');
      await world.finished('deprovision', reply, { path: pathOf(id), signal });
      expectRefusal(await world.deprovision(id, tried, { signal }), [410], 'DELETE again');
      if (isRetrievable(tried)) expectRefusal(await world.get(pathOf(id), signal), [404], 'GET of what was deleted');
    }),
  },
  {
    name: 'deprovision-unknown',
    title: 'DELETE of an instance that is not there is 410',
    rule: '410 Gone must be returned if the instance does not exist.',
    source: DEPROVISION,
    level: 'must',
    ...eachPlan(async (tried, world, signal) =>
      expectRefusal(await world.deprovision(world.newId(), tried, { signal }), [410], 'DELETE'),
    ),
  },
  deleteWithout('service_id'),
  deleteWithout('plan_id'),
  {
    name: 'deprovision-async-required',
    title:
      'DELETE in the background of a request that does not accept it is refused with AsyncRequired, and the instance stays',
    rule: '422 with AsyncRequired must be returned if the instance can only be deleted in the background.',
    source: DEPROVISION,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const id = await world.instance(tried, signal);
      const query = new URLSearchParams(deleteQuery(tried));
      query.delete('accepts_incomplete');
      const reply = await world.deprovision(id, tried, { query: query.toString(), signal });
      if (reply.status === 200) return;
      expectCode(reply, 'AsyncRequired');
      const accepted = await world.deprovision(id, tried, { signal });
      expectThat(accepted.status === 202 || accepted.status === 200, `DELETE has answered ${shown(accepted)}`);
    }),
  },
  {
    name: 'deprovision-in-progress',
    title: 'while an instance is deleted in the background, DELETE again is 202 with the same operation',
    rule: 'A re-sent DELETE must return 202 with the same operation if the request has not completed yet.',
    source: DEPROVISION,
    level: 'must',
    ...eachAsyncPlan(async (tried, world, signal) => {
      const id = await world.instance(tried, signal);
      const first = await world.deprovision(id, tried, { signal });
      const again = await world.deprovision(id, tried, { signal });
      if (first.status !== 202 || again.status === 410) return; // it was over at once
      expectThat(again.status === 202, `DELETE again has answered ${shown(again)}`);
      const [one, two] = [objectOf(first)['operation'], objectOf(again)['operation']];
      expectThat(deepEqual(one, two), `DELETE again has the operation ${String(two)}, and not ${String(one)}`);
      await world.finished('deprovision', first, { path: pathOf(id), signal });
    }),
  },
  {
    name: 'instances-apart',
    title: 'deleting one instance leaves the others',
    rule: 'The id of an instance correlates requests with what they made.',
    source: DEPROVISION,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const [one, two] = [await world.instance(tried, signal), await world.instance(tried, signal)];
      await world.finished('deprovision', await world.deprovision(one, tried, { signal }), {
        path: pathOf(one),
        signal,
      });
      const reply = await world.deprovision(two, tried, { signal });
      expectThat(reply.status === 200 || reply.status === 202, `DELETE of the other one has answered ${shown(reply)}`);
    }),
  },
  {
    name: 'ids-escaped',
    title: 'ids with characters that are escaped in paths work',
    rule: 'The specification places no restriction on the characters of ids; others than the unreserved ones are percent-encoded.',
    source: 'OSB 2.17, URL Properties',
    level: 'should',
    ...eachPlan(async (tried, world, signal) => {
      const id = await world.instance(tried, signal, `keelson conform/${world.newId()}`);
      const reply = await world.deprovision(id, tried, { signal });
      await world.finished('deprovision', reply, { path: pathOf(id), signal });
    }),
  },
];
