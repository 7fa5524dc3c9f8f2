import { Controller } from '../../../csi/protocol/csi-v1.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { CsiWorld } from '../csi-world.ts';
import { withController } from './applies.ts';
import { times } from './repeated-calls.ts';

const MODIFY = 'CSI 1.13, ControllerModifyVolume';
const NO_PARAMETER = new Map([['keelson-conform-no-such-parameter', 'x']]);
const modifies = withController('CREATE_DELETE_VOLUME', 'MODIFY_VOLUME');
const modifiesAsAsked = (world: CsiWorld): string | undefined =>
  modifies(world) ??
  (world.options.mutableParameters.size === 0 ? 'no --mutable-parameters are given to change volumes to' : undefined);

export const modifyCases: readonly ConformCase<CsiWorld>[] = [
  {
    name: 'modify-again',
    title: 'ControllerModifyVolume may be repeated, also at the same time',
    rule: 'The call is idempotent; ABORTED while the volume is being changed.',
    source: MODIFY,
    level: 'must',
    skip: modifiesAsAsked,
    async run(world, signal) {
      const { volumeId = '' } = await world.create(signal);
      const { mutableParameters, secrets } = world.options;
      const request = { volumeId, mutableParameters, secrets };
      const outcomes = await Promise.all(
        times(world.options.concurrency, () => world.try(Controller.controllerModifyVolume, request, signal)),
      );
      for (const { code } of outcomes) expectThat(['OK', 'ABORTED'].includes(code), `one of them answers ${code}`);
      for (let round = 0; round < 2; round++) await world.settle(Controller.controllerModifyVolume, request, signal);
    },
  },
  {
    name: 'modify-at-creation',
    title: 'a volume can be created with parameters that can be changed',
    rule: 'mutable_parameters of CreateVolume are those of ControllerModifyVolume.',
    source: 'CSI 1.13, CreateVolume',
    level: 'must',
    skip: modifiesAsAsked,
    async run(world, signal) {
      const { mutableParameters } = world.options;
      const request = world.volumeRequest({ mutableParameters });
      const { volumeId = '' } = await world.create(signal, request);
      const again = await world.create(signal, request);
      expectThat(again.volumeId === volumeId, `the volume was "${volumeId}", and is "${again.volumeId ?? ''}"`);
    },
  },
  {
    name: 'modify-unknown-volume',
    title: 'ControllerModifyVolume of a volume that does not exist answers NOT_FOUND',
    rule: 'A volume that does not exist is NOT_FOUND.',
    source: MODIFY,
    level: 'must',
    skip: modifiesAsAsked,
    async run(world, signal) {
      const { mutableParameters, secrets } = world.options;
      const request = { volumeId: 'keelson-conform-no-such-volume', mutableParameters, secrets };
      await world.requireCode(Controller.controllerModifyVolume, request, {
        codes: ['NOT_FOUND'],
        when: 'of a volume that does not exist',
        signal,
      });
    },
  },
  {
    name: 'modify-unknown-parameter',
    title: 'parameters that the driver does not know are refused, also beside known ones',
    rule: 'Keys that cannot be changed are INVALID_ARGUMENT, and nothing is changed.',
    source: MODIFY,
    level: 'must',
    skip: modifies,
    async run(world, signal) {
      const { volumeId = '' } = await world.create(signal);
      const { secrets, mutableParameters: known } = world.options;
      const expected = { codes: ['INVALID_ARGUMENT'], when: 'with a parameter that is made up', signal };
      for (const mutableParameters of [NO_PARAMETER, new Map([...known, ...NO_PARAMETER])])
        await world.requireCode(Controller.controllerModifyVolume, { volumeId, mutableParameters, secrets }, expected);
      const request = world.volumeRequest({ mutableParameters: NO_PARAMETER });
      const outcome = await world.try(Controller.createVolume, request, signal);
      if (outcome.response !== undefined) world.keep(outcome.response.volume);
      expectThat(
        outcome.code === 'INVALID_ARGUMENT',
        `CreateVolume with a mutable parameter that is made up answers ${outcome.code}`,
      );
    },
  },
];
