import { CniError } from '../cni-error.ts';

const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;

/** Bytes that a name in the kernel may have. */
const MAX_INTERFACE_NAME = 15;

export function checkNetworkName(name: string): void {
  if (name === '') throw new CniError('InvalidConfiguration', 'missing network name');
  if (!NAME.test(name))
    throw new CniError('InvalidConfiguration', 'invalid characters found in network name', { details: name });
}

export function checkContainerId(id: string): void {
  if (id === '') throw new CniError('UnknownContainer', 'missing containerID');
  if (!NAME.test(id))
    throw new CniError('InvalidEnvironment', 'invalid characters in containerID', { details: `CNI_CONTAINERID=${id}` });
}

export function checkInterfaceName(name: string): void {
  const problem = interfaceNameProblem(name);
  if (problem !== undefined)
    throw new CniError('InvalidEnvironment', `interface name ${problem}`, { details: `CNI_IFNAME=${name}` });
}

function interfaceNameProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (Buffer.byteLength(name) > MAX_INTERFACE_NAME) return `is longer than ${MAX_INTERFACE_NAME} bytes`;
  if (name === '.' || name === '..') return 'is . or ..';
  return /[/:\s]/.test(name) ? 'contains / or : or whitespace characters' : undefined;
}
