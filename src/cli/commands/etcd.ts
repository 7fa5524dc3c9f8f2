import { resolve } from 'node:path';
import { aborted } from '../../base/index.ts';
import { type Command, UsageError } from '../command.ts';
import { etcdDefinitions, etcdFlags } from '../envtest/etcd-flags.ts';
import { holdPlace } from '../envtest/etcd-place.ts';
import { describeFlags, Flags } from '../flags.ts';
import { prepareSharedServer } from './kube-apiserver.ts';
import { checkUpstreamFlags, withUpstreamFlags } from '../upstream-flags.ts';

/** `keelson etcd`: a placeholder for etcd, which test environments start before the API server. */
export const etcdCommand: Command = {
  usage: `Usage: keelson etcd [FLAGS]\n\nA placeholder for etcd: Keelson's API server finds it at its --etcd-servers and keeps its objects in --data-dir.\n\n${describeFlags(etcdDefinitions)}`,
  async run(args, context) {
    const flags = new Flags(args, withUpstreamFlags(etcdDefinitions, etcdFlags));
    checkUpstreamFlags(flags, etcdDefinitions, etcdFlags);
    if (flags.positionals.length > 0) throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}"`);
    const given = flags.list('listen-client-urls');
    const urls = (given.length === 0 ? ['http://localhost:2379'] : given).map(listenUrl);
    const dataDir = resolve(flags.text('data-dir') ?? '');
    await using _place = await holdPlace(urls, { dataDir, syncs: !flags.isSet('unsafe-no-fsync') });
    await prepareSharedServer(context);
    await aborted(context.signal);
  },
};

function listenUrl(text: string): URL {
  if (!URL.canParse(text) || new URL(text).protocol !== 'http:')
    throw new UsageError(`--listen-client-urls must be of the form http://ADDRESS:PORT, got "${text}"`);
  return new URL(text);
}
