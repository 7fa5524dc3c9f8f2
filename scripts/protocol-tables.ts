// Writes the tables of protocols that .proto files of Go modules declare: `npm run protocols -- [NAME…]`.
//
// Names and numbers are all that is taken over. The files that this writes are kept in the repository, because the modules are not.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { writeTables } from './protocol/write-tables.ts';
import { parseProto } from './protocol/parse-proto.ts';

interface Protocol {
  readonly module: string;
  readonly proto: string;
  readonly target: string;
}

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  cri: {
    module: 'k8s.io/cri-api@v0.36.3',
    proto: 'pkg/apis/runtime/v1/api.proto',
    target: 'src/cri/protocol/runtime-v1.ts',
  },
  csi: {
    module: 'github.com/container-storage-interface/spec@v1.13.0',
    proto: 'csi.proto',
    target: 'src/csi/protocol/csi-v1.ts',
  },
  devicePlugin: {
    module: 'k8s.io/kubelet@v0.36.3',
    proto: 'pkg/apis/deviceplugin/v1beta1/api.proto',
    target: 'src/devices/protocol/device-plugin-v1beta1.ts',
  },
  dra: {
    module: 'k8s.io/kubelet@v0.36.3',
    proto: 'pkg/apis/dra/v1/api.proto',
    target: 'src/devices/protocol/dra-v1.ts',
  },
  draBeta: {
    module: 'k8s.io/kubelet@v0.36.3',
    proto: 'pkg/apis/dra/v1beta1/api.proto',
    target: 'src/devices/protocol/dra-v1beta1.ts',
  },
  draHealth: {
    module: 'k8s.io/kubelet@v0.36.3',
    proto: 'pkg/apis/dra-health/v1alpha1/api.proto',
    target: 'src/devices/protocol/dra-health-v1alpha1.ts',
  },
  pluginRegistration: {
    module: 'k8s.io/kubelet@v0.36.3',
    proto: 'pkg/apis/pluginregistration/v1/api.proto',
    target: 'src/plugins/protocol/plugin-registration-v1.ts',
  },
  podResources: {
    module: 'k8s.io/kubelet@v0.36.3',
    proto: 'pkg/apis/podresources/v1/api.proto',
    target: 'src/node/pod-resources/protocol/pod-resources-v1.ts',
  },
  podResourcesAlpha: {
    module: 'k8s.io/kubelet@v0.36.3',
    proto: 'pkg/apis/podresources/v1alpha1/api.proto',
    target: 'src/node/pod-resources/protocol/pod-resources-v1alpha1.ts',
  },
};

const root = join(import.meta.dirname, '..');
const asked = process.argv.slice(2);
for (const name of asked.length === 0 ? Object.keys(PROTOCOLS) : asked) {
  const protocol = PROTOCOLS[name];
  if (protocol === undefined)
    throw new Error(`Unknown protocol "${name}": there are ${Object.keys(PROTOCOLS).join(', ')}`);
  const cache = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim();
  const text = readFileSync(join(cache, protocol.module, protocol.proto), 'utf8');
  const target = join(root, protocol.target);
  const wire = relative(dirname(target), join(root, 'src', 'wire'));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, writeTables(parseProto(text), { source: `${protocol.module}/${protocol.proto}`, wire }));
  execFileSync(join(root, 'node_modules', '.bin', 'oxfmt'), [target], { stdio: ['ignore', 'ignore', 'inherit'] });
  console.log(`wrote ${protocol.target}`);
}
