import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CryptoRandom, formatText, LineLogger, RealClock } from '../../base/index.ts';
import { copyStore, type CopyOptions, type CopyReport, type StorePlace } from '../../cluster/index.ts';
import { openSnapshotFile } from '../../store/index.ts';
import { type CommandContext, UsageError } from '../command.ts';
import type { FlagDefinitions, Flags } from '../flags.ts';
import { encryptionFlags, etcdPlace, serverFlags } from '../../cluster/programs/apiserver/index.ts';

const {
  'etcd-servers': servers,
  'etcd-prefix': prefix,
  'etcd-cafile': ca,
  'etcd-certfile': certificate,
  'etcd-keyfile': key,
} = serverFlags;

/**
 * The least distance of revisions when a snapshot of an open store is restored; for etcd, etcd's own tool does that
 * best.
 */
const SAFE_LEAP = 1_000_000;

/** The flags of commands that copy objects: to a file, from a file, between stores. */
export const copyFlags: FlagDefinitions = {
  from: { type: 'string', value: 'PLACE', help: 'What to copy: a data folder, a snapshot, or the addresses of etcd' },
  to: { type: 'string', value: 'PLACE', help: 'Where to copy it to: a data folder or the addresses of etcd' },
  ...Object.fromEntries(
    Object.entries({
      'etcd-servers': servers,
      'etcd-prefix': prefix,
      'etcd-cafile': ca,
      'etcd-certfile': certificate,
      'etcd-keyfile': key,
      'encryption-provider-config': encryptionFlags['encryption-provider-config'],
    }).flatMap(([name, definition]) => (definition === undefined ? [] : [[name, definition]])),
  ),
  'bump-revision': {
    type: 'string',
    value: 'N',
    help: 'Distance between the revisions of the new store and the copied one (default: in a folder 1000000 or more if the source may have been written since, else 0)',
  },
};

/** `keelson store snapshot FILE` */
export async function takeSnapshot(flags: Flags, folder: string, context: CommandContext): Promise<void> {
  const path = flags.positionals[1];
  if (path === undefined) throw new UsageError('which file is the snapshot to be written to?');
  const { objects, revision } = await copy(
    flags,
    { from: ownPlace(flags, folder), to: { type: 'file', path } },
    context,
  );
  context.print(`${path}: ${objects} objects at revision ${revision}`);
}

/** `keelson store restore FILE` */
export async function restoreStore(flags: Flags, folder: string, context: CommandContext): Promise<void> {
  const from: StorePlace = { type: 'file', path: flags.positionals[1] ?? '/dev/stdin' };
  const to = ownPlace(flags, folder);
  const { objects, revision, fromRevision, isOfClosedStore } = await copy(flags, { from, to }, context);
  context.print(`restored ${objects} objects at revision ${revision} into ${to.type === 'etcd' ? 'etcd' : to.path}`);
  if (!isOfClosedStore && revision - fromRevision < SAFE_LEAP && !flags.has('bump-revision'))
    context.printError(
      `the snapshot is of a store that was open: clients that have seen revisions above ${revision} must list again`,
    );
}

/** `keelson store copy --from PLACE --to PLACE` */
export async function copyBetween(flags: Flags, context: CommandContext): Promise<void> {
  const [from, to] = await Promise.all([placeOf(flags, 'from'), placeOf(flags, 'to')]);
  if (to.type === 'file') throw new UsageError(`--to "${to.path}" is a file; snapshot writes one`);
  const report = await copy(flags, { from, to }, context);
  const { objects, written, fromRevision, revision } = report;
  context.print(
    `copied ${objects} objects of revision ${fromRevision}, ${written} of them now; goes on at revision ${revision}`,
  );
  if (!report.isFinal)
    context.printError(`the source was in use: what it has written since is not in the copy. ${nextStep(to)}`);
}

/** `keelson store verify FILE` */
export async function verifySnapshot(file: string, context: CommandContext): Promise<void> {
  if ((await stat(file).catch(() => undefined))?.isDirectory() === true)
    throw new UsageError(
      `Cannot check "${file}" as a snapshot: it is a folder; to check the store in it: --data-dir ${file}`,
    );
  await using snapshot = await openSnapshotFile(file);
  let objects = 0;
  for await (const batch of snapshot.batches) objects += batch.length;
  const { revision, takenMs, form } = snapshot.head;
  const taken = takenMs === 0 ? '' : `, taken ${new Date(takenMs).toISOString()}`;
  context.print(
    `${objects} objects at revision ${revision}, as in ${form === 'etcd' ? 'etcd' : 'the embedded store'}${taken}`,
  );
  context.print('the snapshot is sound');
}

function copy(flags: Flags, places: Pick<CopyOptions, 'from' | 'to'>, context: CommandContext): Promise<CopyReport> {
  const encryptionConfig = flags.text('encryption-provider-config');
  const bumpRevision = flags.integer('bump-revision', { min: 0, max: Number.MAX_SAFE_INTEGER });
  const clock = new RealClock();
  const log = new LineLogger({
    write: (line) => context.printError(line.trimEnd()),
    level: 'info',
    format: formatText,
    clock,
  });
  return copyStore({
    ...places,
    clock,
    random: new CryptoRandom(),
    log,
    signal: context.signal,
    ...(encryptionConfig === undefined ? {} : { encryptionConfig }),
    ...(bumpRevision === undefined ? {} : { bumpRevision }),
  });
}

function nextStep(to: StorePlace): string {
  return to.type === 'etcd'
    ? 'Stop the source and run the same command again: it goes on from here'
    : 'Stop the source, and copy again into an empty folder';
}

/** etcd if it is named, else the data folder. */
function ownPlace(flags: Flags, path: string): StorePlace {
  return etcdPlace(flags) ?? { type: 'folder', path };
}

async function placeOf(flags: Flags, name: 'from' | 'to'): Promise<StorePlace> {
  const text = flags.text(name);
  if (text === undefined) throw new UsageError(`--${name} is missing: a data folder, or http://HOST:PORT,… for etcd`);
  const etcd = /^https?:\/\//.test(text) ? etcdPlace(flags, text.split(',')) : undefined;
  if (etcd !== undefined) return etcd;
  const found = await stat(text).catch(() => undefined); // it may be created
  return found?.isFile() === true ? { type: 'file', path: text } : { type: 'folder', path: join(text, 'store') };
}
