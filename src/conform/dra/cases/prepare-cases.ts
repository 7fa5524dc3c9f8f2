import { parseCdiName } from '../../../devices/index.ts';
import { GrpcError } from '../../../wire/grpc/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { ClaimRef, DraCalls, PreparedDevice } from '../dra-calls.ts';
import { type DraWorld, type PublishedDevice, refOf } from '../dra-world.ts';

export const PREPARE = 'DRA v1, NodePrepareResources';

export const prepareCases: readonly ConformCase<DraWorld>[] = [
  {
    name: 'prepare',
    title: 'the devices of a claim are prepared',
    rule: 'NodePrepareResources answers for each claim of the request with the devices that are allocated to it, and requests of that claim.',
    source: PREPARE,
    level: 'must',
    async run(world, signal) {
      const [device] = await world.freeDevices(signal);
      const claim = await world.allocate(signal);
      const prepared = await (await world.connect(signal)).prepare(claim);
      expectDevice(prepared, device);
      for (const { requests } of prepared)
        expectThat(
          requests.every((request) => request === 'devices'),
          `the device is prepared for the requests "${requests.join(', ')}", and the claim has only "devices"`,
        );
    },
  },
  {
    name: 'prepare-versions',
    title: 'all versions that the driver announces prepare the same devices',
    rule: 'A kubelet calls the service of the version that it knows; a driver that announces several serves the same claims through each.',
    source: PREPARE,
    level: 'must',
    skip: ({ seen }) =>
      seen === undefined || ['v1', 'v1beta1'].every((version) => seen.versions.includes(`${version}.DRAPlugin`))
        ? undefined
        : 'the driver announces one version',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      const [newer, older] = [await world.connect(signal, 'v1'), await world.connect(signal, 'v1beta1')];
      const [first, then] = [await newer.prepare(claim), await older.prepare(claim)];
      expectSame(first, then, 'v1 and v1beta1 have prepared');
      await older.unprepare(claim);
      await newer.unprepare(claim);
    },
  },
  {
    name: 'prepare-cdi',
    title: 'names of CDI devices are in files that runtimes take',
    rule: 'Each name is like vendor.com/class=device, and a valid file of the Container Device Interface says what it stands for, before the answer.',
    source: 'Container Device Interface, JSON definition',
    level: 'must',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      const prepared = await (await world.connect(signal)).prepare(claim);
      const names = prepared.flatMap(({ cdiDevices }) => cdiDevices);
      for (const name of names) expectThat(parseCdiName(name) !== undefined, `"${name}" is no name of a CDI device`);
      await world.checkCdi(names);
    },
  },
  {
    name: 'prepare-again',
    title: 'a claim may be prepared again',
    rule: 'A kubelet that was restarted prepares the claims of running pods again: the answer is the same.',
    source: PREPARE,
    level: 'must',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      const calls = await world.connect(signal);
      const first = await calls.prepare(claim);
      expectSame(first, await calls.prepare(claim), 'twice, the driver has prepared');
      await world.checkCdi(first.flatMap(({ cdiDevices }) => cdiDevices));
    },
  },
  {
    name: 'prepare-unknown',
    title: 'a claim that there is not has an error of its own',
    rule: 'What is wrong with one claim is the error in the result of that claim; the call and its other claims succeed.',
    source: PREPARE,
    level: 'should',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      const unknown = { uid: 'conform-unknown', name: 'conform-unknown', namespace: 'default' };
      const results = await (await world.connect(signal)).prepareAll([unknown, claim]);
      expectThat(typeof results.get(unknown.uid) === 'string', 'a claim that does not exist was prepared');
      const other = results.get(claim.uid);
      expectThat(typeof other === 'object', `the other claim of the call has failed: ${String(other)}`);
    },
  },
  {
    name: 'prepare-replaced',
    title: 'a claim that was replaced by another one of its name is not prepared',
    rule: 'A claim is the one with the uid of the request; another one of that name may belong to other pods.',
    source: PREPARE,
    level: 'must',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      await expectRefused(await world.connect(signal), { ...claim, uid: 'conform-former' }, 'with another uid');
    },
  },
  {
    name: 'prepare-unallocated',
    title: 'a claim without allocated devices is not prepared',
    rule: 'A claim whose status has no allocation has no devices to prepare.',
    source: PREPARE,
    level: 'must',
    async run(world, signal) {
      const claim = refOf(await world.create(signal));
      await expectRefused(await world.connect(signal), claim, 'without an allocation');
    },
  },
  {
    name: 'prepare-together',
    title: 'claims of one call get their own devices',
    rule: 'The claims of a pod are prepared in one call; each result is by the uid of its claim.',
    source: PREPARE,
    level: 'must',
    async run(world, signal) {
      const [a, b] = (await world.freeDevices(signal)).filter((_, index) => index < 2);
      if (a === undefined || b === undefined) return; // a driver of one device has no second claim
      const claims = [
        await world.allocate(signal, { devices: [a] }),
        await world.allocate(signal, { devices: [b] }),
      ] as const;
      const results = await (await world.connect(signal)).prepareAll(claims);
      for (const [index, device] of [a, b].entries()) {
        const result = results.get(claims[index]?.uid ?? '');
        expectThat(typeof result === 'object', `a claim of two has failed: ${String(result)}`);
        expectDevice(result, device);
      }
    },
  },
  {
    name: 'prepare-several',
    title: 'a claim with several devices gets all of them',
    rule: 'All devices of the allocation are prepared, not only the first.',
    source: PREPARE,
    level: 'must',
    async run(world, signal) {
      const devices = (await world.freeDevices(signal)).slice(0, MAX_TOGETHER);
      const claim = await world.allocate(signal, { devices });
      const prepared = await (await world.connect(signal)).prepare(claim);
      for (const device of devices) expectDevice(prepared, device);
      await world.checkCdi(prepared.flatMap(({ cdiDevices }) => cdiDevices));
    },
  },
  {
    name: 'prepare-race',
    title: 'claims that are prepared at the same time do not mix',
    rule: 'Pods start at the same time: calls of different claims may overlap.',
    source: PREPARE,
    level: 'must',
    async run(world, signal) {
      const devices = (await world.freeDevices(signal)).slice(0, MAX_AT_ONCE);
      const claims: ClaimRef[] = [];
      for (const device of devices) claims.push(await world.allocate(signal, { devices: [device] }));
      const calls = await world.connect(signal);
      const results = await Promise.all(claims.map((claim) => calls.prepare(claim)));
      for (const [index, device] of devices.entries()) {
        expectDevice(results[index] ?? [], device);
        expectThat(
          results[index]?.length === 1,
          `a claim of one device was prepared with ${results[index]?.length ?? 0}`,
        );
      }
      await world.checkCdi(results.flat().flatMap(({ cdiDevices }) => cdiDevices));
    },
  },
  {
    name: 'prepare-same-race',
    title: 'one claim that is prepared by several calls at the same time gets one answer',
    rule: 'A call that a kubelet has given up may still run when it calls again.',
    source: PREPARE,
    level: 'must',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      const calls = await world.connect(signal);
      const [first = [], ...others] = await Promise.all(Array.from({ length: 5 }, () => calls.prepare(claim)));
      for (const other of others) expectSame(first, other, 'at the same time, the driver has prepared');
      await world.checkCdi(first.flatMap(({ cdiDevices }) => cdiDevices));
    },
  },
  {
    name: 'prepare-taken',
    title: 'a device that another claim has is not prepared',
    rule: 'Should two claims ever have the same device, the driver is the last that can keep them apart.',
    source: 'kubeletplugin, PrepareResourceClaims',
    level: 'should',
    async run(world, signal) {
      const [device] = await world.freeDevices(signal);
      const isShared = (await world.slices(signal)).some(({ spec }) =>
        (spec.devices ?? []).some(
          ({ name, allowMultipleAllocations }) => name === device?.device && allowMultipleAllocations === true,
        ),
      );
      if (device === undefined || isShared) return;
      const calls = await world.connect(signal);
      await calls.prepare(await world.allocate(signal, { devices: [device] }));
      const second = await world.allocate(signal, { devices: [device] });
      await expectRefused(calls, second, 'for a device that another prepared claim has');
    },
  },
  {
    name: 'prepare-admin',
    title: 'a device in use is prepared for supervision',
    rule: 'A result with adminAccess is for looking after a device that others use, and does not keep others from it.',
    source: 'ResourceClaim v1, adminAccess',
    level: 'should',
    async run(world, signal) {
      const [device] = await world.freeDevices(signal);
      if (device === undefined) return;
      const calls = await world.connect(signal);
      await calls.prepare(await world.allocate(signal, { devices: [device] }));
      const admin = await world.allocate(signal, { devices: [device], hasAdminAccess: true });
      expectDevice(await calls.prepare(admin), device);
    },
  },
];

const MAX_TOGETHER = 4;
const MAX_AT_ONCE = 8;

export function expectDevice(prepared: readonly PreparedDevice[], wanted: PublishedDevice | undefined): void {
  const names = prepared.map(({ pool, device }) => `${pool}/${device}`);
  const name = `${wanted?.pool ?? ''}/${wanted?.device ?? ''}`;
  expectThat(names.includes(name), `the claim has the device ${name}, and prepared are ${names.join(', ') || 'none'}`);
}

export function expectSame(first: readonly PreparedDevice[], then: readonly PreparedDevice[], what: string): void {
  const text = (list: readonly PreparedDevice[]): string =>
    list
      .map(({ pool, device, cdiDevices }) => `${pool}/${device} (${cdiDevices.join(' ')})`)
      .toSorted()
      .join(', ');
  expectThat(text(first) === text(then), `${what} ${text(first) || 'nothing'}, and ${text(then) || 'nothing'}`);
}

async function expectRefused(calls: DraCalls, claim: ClaimRef, what: string): Promise<void> {
  let result: unknown;
  try {
    result = (await calls.prepareAll([claim])).get(claim.uid);
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    return; // it refuses the whole call, as drivers in Go do
  }
  expectThat(typeof result === 'string', `a claim was prepared ${what}`);
}
