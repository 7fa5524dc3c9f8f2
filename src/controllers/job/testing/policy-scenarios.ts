import type { PodFailurePolicyRule } from '../../../api/types/batch/v1.d.ts';
import type { ScenarioTopic } from '../../testing/scenarios/index.ts';
import { deletePods, end, endAtOnce, fail, indexed, newJob, start } from './job-world.ts';

function rules(...list: PodFailurePolicyRule[]): { podFailurePolicy: { rules: PodFailurePolicyRule[] } } {
  return { podFailurePolicy: { rules: list } };
}

function exitCodes(
  action: PodFailurePolicyRule['action'],
  operator: 'In' | 'NotIn',
  values: number[],
): PodFailurePolicyRule {
  return { action, onExitCodes: { operator, values } };
}

function disrupted(action: PodFailurePolicyRule['action']): PodFailurePolicyRule {
  return { action, onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] };
}

/** Pod failure policies and success policies. */
export const policyScenarios: ScenarioTopic['scenarios'] = {
  'an exit code that fails the Job': async (world) => {
    await start(world, newJob({ completions: 2, parallelism: 2, ...rules(exitCodes('FailJob', 'In', [3, 42])) }));
    await fail(world, 1, { exitCode: 42 });
    await world.look('failed');
    await endAtOnce(world, 2, { phase: 'Failed', exitCode: 0 });
    await world.pass(3);
    await world.look('over');
  },

  'exit codes that are ignored': async (world) => {
    await start(world, newJob({ backoffLimit: 0, ...rules(exitCodes('Ignore', 'NotIn', [42])) }));
    await fail(world, 1, { exitCode: 1 });
    await world.look('ignored');
    await world.pass(11);
    await world.look('again');
    await fail(world, 1, { exitCode: 42 });
    await world.look('not ignored');
  },

  'a rule that counts goes before one that fails': async (world) => {
    const both = rules(exitCodes('Count', 'In', [5]), exitCodes('FailJob', 'NotIn', [7]));
    await start(world, newJob(both));
    await fail(world, 1, { exitCode: 5 });
    await world.look('counted');
    await world.pass(11);
    await fail(world, 1, { exitCode: 6 });
    await world.look('failed');
  },

  'a rule for another container': async (world) => {
    const onExitCodes = { containerName: 'c', operator: 'In' as const, values: [1] };
    await start(world, newJob(rules({ action: 'FailJob', onExitCodes })));
    await fail(world, 1, { container: 'd' });
    await world.look('counted');
  },

  'a disrupted pod is ignored': async (world) => {
    await start(world, newJob({ backoffLimit: 0, ...rules(disrupted('Ignore')) }));
    await fail(world, 1, { condition: 'DisruptionTarget' });
    await world.look('ignored');
  },

  'a disrupted pod fails the Job': async (world) => {
    await start(world, newJob(rules(disrupted('FailJob'))));
    await fail(world, 1, { condition: 'DisruptionTarget' });
    await world.look('failed');
  },

  'a deleted pod is not failed yet where there is a policy': async (world) => {
    await start(world, newJob(rules(exitCodes('FailJob', 'In', [42]))));
    await deletePods(world, 1);
    await world.look('terminating');
    await fail(world, 1, { exitCode: 42 });
    await world.look('failed');
  },

  'an exit code that fails the index': async (world) => {
    const policy = rules(exitCodes('FailIndex', 'In', [42]), exitCodes('Ignore', 'In', [1]));
    await start(world, indexed(2, { backoffLimitPerIndex: 3, ...policy }));
    await fail(world, [0], { exitCode: 42 });
    await world.look('failed');
    await fail(world, [1], { exitCode: 1 });
    await world.look('ignored');
    await world.pass(11);
    await world.look('again');
  },

  'success as soon as one index has succeeded': async (world) => {
    await start(world, indexed(3, { successPolicy: { rules: [{ succeededIndexes: '1' }] } }));
    await end(world, [0]);
    await world.look('not yet');
    await end(world, [1]);
    await world.look('done');
  },

  'success with two of many': async (world) => {
    const successPolicy = { rules: [{ succeededIndexes: '0-2', succeededCount: 2 }, { succeededCount: 4 }] };
    await start(world, indexed(5, { successPolicy }));
    await end(world, [0, 3]);
    await world.look('not yet');
    await end(world, [2]);
    await world.look('done');
  },

  'success by number, after failures by index': async (world) => {
    const successPolicy = { rules: [{ succeededIndexes: '3' }, { succeededCount: 2 }] };
    await start(world, indexed(4, { successPolicy, backoffLimitPerIndex: 0 }));
    await fail(world, [1]);
    await end(world, [0, 2]);
    await world.look('done');
  },

  'success while a pod takes its time to go': async (world) => {
    const successPolicy = { rules: [{ succeededCount: 1 }] };
    const job = indexed(2, { successPolicy });
    const template = { ...job.spec?.template, metadata: { finalizers: ['example.com/hold'] } };
    await start(world, { ...job, spec: { ...job.spec, template: { ...template, spec: job.spec?.template.spec } } });
    await end(world, [0]);
    await world.look('waiting');
  },
};
