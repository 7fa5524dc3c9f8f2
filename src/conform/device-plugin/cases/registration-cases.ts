import { isExtendedResource } from '../../../api/meaning/index.ts';
import { GrpcError } from '../../../wire/grpc/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { DevicePluginWorld } from '../device-plugin-world.ts';

export const REGISTRATION = 'Device plugin API v1beta1, Registration';

export const registrationCases: readonly ConformCase<DevicePluginWorld>[] = [
  {
    name: 'register',
    title: 'the plugin registers with its version, resource and socket',
    rule: 'A plugin registers at kubelet.sock with the version of the API, an extended resource and the name of its socket.',
    source: REGISTRATION,
    level: 'must',
    async run(world, signal) {
      const { request } = await world.registered(signal);
      const { version = '', resourceName = '', endpoint = '' } = request;
      expectThat(version === 'v1beta1', `the plugin has registered with version "${version}", not "v1beta1"`);
      expectThat(
        isExtendedResource(resourceName),
        `"${resourceName}" is not the name of an extended resource, such as example.com/fpga`,
      );
      expectThat(
        endpoint !== '' && !endpoint.includes('/'),
        `the endpoint is "${endpoint}"; it has to be the name of a socket in the folder of kubelet.sock, without a path`,
      );
    },
  },
  {
    name: 'register-served',
    title: 'the plugin answers while it registers',
    rule: 'The socket of a plugin is served before the plugin registers: a kubelet asks for its options before it answers.',
    source: REGISTRATION,
    level: 'must',
    async run(world, signal) {
      const registration = await world.registered(signal);
      const { options } = registration;
      expectThat(
        !(options instanceof GrpcError),
        `GetDevicePluginOptions has failed during Register: ${options instanceof GrpcError ? options.message : ''}`,
      );
      expectThat(await world.hasSocket(registration), `there is no socket "${registration.request.endpoint ?? ''}"`);
    },
  },
  {
    name: 'options',
    title: 'the options of the registration are those that GetDevicePluginOptions answers',
    rule: 'Options that are sent with Register are the same as those of GetDevicePluginOptions, which a kubelet goes by.',
    source: REGISTRATION,
    level: 'should',
    async run(world, signal) {
      const { request } = await world.registered(signal);
      const calls = await world.connect(signal);
      const answered = await calls.options();
      if (request.options === undefined) return;
      for (const name of ['preStartRequired', 'getPreferredAllocationAvailable'] as const)
        expectThat(
          (request.options[name] ?? false) === (answered[name] ?? false),
          `${name} is ${request.options[name] ?? false} in Register and ${answered[name] ?? false} in GetDevicePluginOptions`,
        );
    },
  },
];
