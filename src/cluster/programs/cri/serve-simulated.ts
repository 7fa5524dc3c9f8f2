import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { aborted } from '../../../base/index.ts';
import { parseAddress } from '../../../wire/grpc/index.ts';
import { CriServer } from '../../../cri/index.ts';
import { simulatedRuntimeAlone } from '../../../simulated/index.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import type { ProgramBody, StandaloneTools } from '../program.ts';
import { fileFlag, usable } from '../read-flags.ts';
import { machineContent } from './machine-content.ts';
import { readStatedImages } from './stated-images.ts';

export const body: ProgramBody = {
  inCluster() {
    throw new Error('Cannot run a container runtime in a cluster: it is a program of its own');
  },
  standalone: serveSimulated,
};

/** `keelson cri`. */
async function serveSimulated(flags: FlagValues, tools: StandaloneTools): Promise<undefined> {
  const { clock, random, log, print, signal } = tools;
  const listen = flags.text('listen') ?? '';
  const address = usable(() => parseAddress(listen));
  if (address.type !== 'unix') throw new FlagError(`--listen must be unix:///PATH, got "${listen}"`);
  const cgroupDriver = flags.text('cgroup-driver');
  if (cgroupDriver !== 'cgroupfs' && cgroupDriver !== 'systemd')
    throw new FlagError(`--cgroup-driver must be cgroupfs or systemd, got "${cgroupDriver ?? ''}"`);
  const images = fileFlag(flags, 'images');
  const podCidrs = (flags.text('pod-cidr') ?? '').split(',');
  using alone = usable(() =>
    simulatedRuntimeAlone({
      clock,
      random,
      podCidrs,
      images: images === undefined ? {} : readStatedImages(images, flags.text('images') ?? ''),
      root: flags.text('root-dir') ?? '',
      content: machineContent,
    }),
  );
  await mkdir(dirname(address.path), { recursive: true });
  await using _server = await CriServer.listen(
    {
      runtime: alone.runtime,
      images: alone.images,
      logs: alone.logs,
      cgroupDriver,
      info: () => ({ simulated: true }),
      podCidrChanged: (cidr) => alone.usePodCidrs(cidr.split(',')),
      terminationMessage: (id) => alone.terminationMessage(id),
    },
    { listen, streaming: streamAddress(flags.text('stream-address') ?? ''), clock, random, log },
  );
  print(`serving simulated containers on ${listen}`);
  await aborted(signal);
}

function streamAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 0xffff)
    throw new FlagError(`--stream-address must be HOST:PORT, got "${text}"`);
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
