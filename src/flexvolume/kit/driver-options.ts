type Texts = Readonly<Record<string, string>>;

/** What a caller tells about a volume. */
export interface DriverOptions {
  /** The name of the PersistentVolume, or of the volume in the pod. */
  readonly volume: string;
  /** Such as `ext4`; empty for the driver's choice. */
  readonly fsType: string;
  readonly isReadOnly: boolean;
  /** `flexVolume.options` of the volume. */
  readonly parameters: Texts;
  /** The data of the volume's Secret, decoded; only in `mount`. */
  readonly secrets: Texts;
  /** The pod that the volume is mounted for; only in `mount`. */
  readonly pod: DriverPod | undefined;
  /** The group that should own the files; only in `mount`, and for pods with an fsGroup. */
  readonly fsGroup: number | undefined;
}

/** The pod that a volume is mounted for. */
export interface DriverPod {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly serviceAccount: string;
}

const PREFIX = 'kubernetes.io/';
const SECRET = 'kubernetes.io/secret/';

/** Reads the argument with the options. Throws an Error that says what is wrong. */
export function readOptions(json: string | undefined): DriverOptions {
  const texts = textsOf(json ?? '');
  const own = (name: string): string => texts.get(`${PREFIX}${name}`) ?? '';
  const group = own('mounterArgs.FsGroup');
  const uid = own('pod.uid');
  return {
    volume: own('pvOrVolumeName'),
    fsType: own('fsType'),
    isReadOnly: own('readwrite') === 'ro',
    parameters: Object.fromEntries([...texts].filter(([key]) => !key.startsWith(PREFIX))),
    secrets: Object.fromEntries(
      [...texts]
        .filter(([key]) => key.startsWith(SECRET))
        .map(([key, value]) => [key.slice(SECRET.length), Buffer.from(value, 'base64').toString('utf8')]),
    ),
    pod:
      uid === ''
        ? undefined
        : { name: own('pod.name'), namespace: own('pod.namespace'), uid, serviceAccount: own('serviceAccount.name') },
    fsGroup: group === '' ? undefined : Number(group),
  };
}

function textsOf(json: string): ReadonlyMap<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new Error(`the options are no JSON: ${JSON.stringify(json.slice(0, 100))}`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('the options are no object');
  return new Map(Object.entries(value).map(([key, member]) => [key, String(member)]));
}
