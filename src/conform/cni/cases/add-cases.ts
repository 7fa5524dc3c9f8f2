import { type CniResult, isAtLeast, isObject } from '../../../cni/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import { type CniWorld, endText, requireSuccess, type TriedContainer } from '../cni-world.ts';
import { onlyFor } from './applies.ts';

const ADD = 'CNI 1.1.0, section 2, ADD';
const RESULT = 'CNI 1.1.0, section 5, ADD success';

export const addCases: readonly ConformCase<CniWorld>[] = [
  {
    name: 'add',
    title: 'ADD succeeds and prints a result',
    rule: 'A plugin that succeeds exits with 0 and prints a result on standard output.',
    source: ADD,
    level: 'must',
    async run(world, signal) {
      await world.add(await world.container(), signal);
    },
  },
  {
    name: 'add-version',
    title: 'the result has the version of the configuration',
    rule: 'cniVersion of the result is the one of the input.',
    source: RESULT,
    level: 'must',
    async run(world, signal) {
      const container = await world.container();
      await world.add(container, signal);
      const { cniVersion } = container.added ?? {};
      expectThat(
        cniVersion === world.cniVersion,
        `the configuration has "${world.cniVersion}", the result ${JSON.stringify(cniVersion)}`,
      );
    },
  },
  {
    name: 'add-interface',
    title: 'ADD makes the interface, and the result names it',
    rule: 'ADD makes the interface CNI_IFNAME in the container; the result lists it with CNI_NETNS as its sandbox.',
    source: ADD,
    level: 'must',
    skip: onlyFor('interface'),
    async run(world, signal) {
      const container = await world.container();
      const { interfaces = [] } = await world.add(container, signal);
      const { ifName } = world.options;
      const present = await world.interfacesOf(container);
      expectThat(
        present.has(ifName),
        `the container has no interface "${ifName}", but ${[...present.keys()].join(', ')}`,
      );
      const listed = interfaces.find(({ name, sandbox }) => name === ifName && sandbox !== undefined);
      expectThat(
        listed !== undefined,
        `the result lists no interface "${ifName}" with a sandbox: ${JSON.stringify(interfaces)}`,
      );
      expectThat(
        listed.sandbox === container.namespace.path,
        `the sandbox of "${ifName}" is "${listed.sandbox}", not CNI_NETNS "${container.namespace.path}"`,
      );
    },
  },
  {
    name: 'add-other-name',
    title: 'ADD uses the name that is asked for',
    rule: 'The interface has the name CNI_IFNAME, or the plugin fails.',
    source: 'CNI 1.1.0, section 2, parameters',
    level: 'must',
    skip: onlyFor('interface'),
    async run(world, signal) {
      const container = await world.container();
      const environment = { CNI_IFNAME: 'other7' };
      const end = await world.call('ADD', { container, environment, signal });
      if (end.code !== 0) return;
      const present = await world.interfacesOf(container);
      await world.call('DEL', { container, environment, signal });
      expectThat(present.has('other7'), `asked for "other7", it succeeded with ${[...present.keys()].join(', ')}`);
    },
  },
  {
    name: 'add-addresses',
    title: 'the addresses of the result are on the interfaces',
    rule: 'ips are the addresses that this attachment has assigned; interface is an index of interfaces.',
    source: RESULT,
    level: 'must',
    skip: onlyFor('interface'),
    async run(world, signal) {
      const container = await world.container();
      await requireAddresses(world, container, await world.add(container, signal));
    },
  },
  {
    name: 'add-host-interfaces',
    title: 'interfaces of the machine that the result names are there',
    rule: 'interfaces are all that the attachment has made, those of the machine included.',
    source: RESULT,
    level: 'must',
    skip: onlyFor('interface'),
    async run(world, signal) {
      const { interfaces = [] } = await world.add(await world.container(), signal);
      const { interfaces: present = [] } = await world.state();
      const missing = interfaces.filter(({ sandbox, name }) => sandbox === undefined && !present.includes(name));
      expectThat(missing.length === 0, `the machine has no ${missing.map(({ name }) => `"${name}"`).join(', ')}`);
    },
  },
  {
    name: 'add-ipam-result',
    title: 'the result has addresses and no interfaces',
    rule: 'A delegated plugin for addresses returns ips without interface, and no interfaces.',
    source: 'CNI 1.1.0, section 5, delegated plugins',
    level: 'must',
    skip: onlyFor('ipam'),
    async run(world, signal) {
      const { interfaces, ips = [] } = await world.add(await world.container(), signal);
      expectThat(interfaces === undefined, `the result has interfaces: ${JSON.stringify(interfaces)}`);
      expectThat(ips.length > 0, 'the result has no ips');
      expectThat(
        ips.every((ip) => ip.interface === undefined),
        `an address names an interface: ${JSON.stringify(ips)}`,
      );
    },
  },
  {
    name: 'add-passes-on',
    title: 'what the plugin before has returned is in the result',
    rule: 'A plugin passes prevResult on, with its own modifications.',
    source: RESULT,
    level: 'must',
    skip: onlyFor('chained'),
    async run(world, signal) {
      const container = await world.container();
      const result = await world.add(container, signal);
      const lost = lostOf(container.prevResult ?? {}, result);
      expectThat(
        lost.length === 0,
        `the result lacks ${lost.join(', ')} of prevResult: ${JSON.stringify(container.added)}`,
      );
    },
  },
  {
    name: 'add-args',
    title: 'ADD accepts the arguments that Kubernetes runtimes give',
    rule: 'With IgnoreUnknown in CNI_ARGS, a plugin ignores arguments that it does not know.',
    source: 'CNI conventions, CNI_ARGS',
    level: 'should',
    async run(world, signal) {
      const container = await world.container();
      const environment = { CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web' };
      requireSuccess('ADD with CNI_ARGS', await world.call('ADD', { container, environment, signal }));
    },
  },
  {
    name: 'add-again',
    title: 'ADD of an interface that exists fails and changes nothing',
    rule: 'If an interface of the requested name exists in the container, ADD fails.',
    source: ADD,
    level: 'must',
    skip: onlyFor('interface'),
    async run(world, signal) {
      const container = await world.container();
      const result = await world.add(container, signal);
      const again = await world.call('ADD', { container, signal });
      expectThat(again.code !== 0, `the second ADD succeeds: ${endText(again)}`);
      await requireAddresses(world, container, result);
      if (isAtLeast(world.cniVersion, '0.4.0')) {
        const check = await world.call('CHECK', { container, signal });
        expectThat(check.code === 0, `CHECK fails after the second ADD: ${endText(check)}`);
      }
    },
  },
];

async function requireAddresses(world: CniWorld, container: TriedContainer, result: CniResult): Promise<void> {
  const { interfaces = [], ips = [] } = result;
  const present = await world.interfacesOf(container);
  for (const { address, interface: index } of ips) {
    if (index === undefined) continue;
    const on = interfaces[index];
    expectThat(on !== undefined, `${address} is on interface ${index}, and there are ${interfaces.length}`);
    if (on.sandbox === undefined) continue;
    const found = present.get(on.name) ?? [];
    expectThat(found.includes(address), `"${on.name}" has ${found.join(', ') || 'no address'}, not ${address}`);
  }
}

/** Members of the result before that are neither there nor changed: names of interfaces, addresses, destinations, DNS. */
function lostOf(before: CniResult, after: CniResult): readonly string[] {
  const names = new Set((after.interfaces ?? []).map(({ name }) => name));
  const addresses = new Set((after.ips ?? []).map(({ address }) => address));
  const routes = new Set((after.routes ?? []).map(({ dst }) => dst));
  return [
    ...(before.interfaces ?? []).filter(({ name }) => !names.has(name)).map(({ name }) => `interface "${name}"`),
    ...(before.ips ?? []).filter(({ address }) => !addresses.has(address)).map(({ address }) => address),
    ...(before.routes ?? []).filter(({ dst }) => !routes.has(dst)).map(({ dst }) => `the route to ${dst}`),
    ...(before.dns !== undefined && !isObject(after.dns) ? ['dns'] : []),
  ];
}
