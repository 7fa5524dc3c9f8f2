import * as values from '../index.ts';
import { ValueError } from '../index.ts';

/** Asks our code what `go-answers.json` holds Go's answers to. Errors come back as `{ error }`. */
export function answer(question: string, args: readonly unknown[]): unknown {
  const ask = questions[question];
  if (ask === undefined) throw new Error(`No such question: "${question}"`);
  return plain(ask(...(args as never[])));
}

function plain(result: unknown): unknown {
  return result instanceof ValueError ? { error: result.message } : result;
}

function then<T>(value: T | ValueError, use: (value: T) => unknown): unknown {
  return value instanceof ValueError ? value : use(value);
}

function trusted<T>(value: T | ValueError): T {
  if (value instanceof ValueError) throw value;
  return value;
}

type Labels = Readonly<Record<string, string>>;

const questions: Readonly<Record<string, (...args: never[]) => unknown>> = {
  quantity: (text: string) =>
    then(values.parseQuantity(text), (quantity) => [
      quantity.toString(),
      quantity.format,
      quantity.sign,
      String(quantity.scaledValue(0)),
      String(quantity.scaledValue(-3)),
      String(quantity.scaledValue(-6)),
      String(quantity.asInt64() ?? 'none'),
      quantity.toNumber().toExponential(),
      quantity.neg().toString(),
    ]),
  quantityJSON: (text: string) => values.canonicalQuantity(text),
  quantity2: (left: string, right: string) => {
    const first = trusted(values.parseQuantity(left));
    const second = trusted(values.parseQuantity(right));
    const sum = first.add(second);
    const difference = first.sub(second);
    return [
      first.compare(second),
      sum.toString(),
      sum.format,
      String(sum.scaledValue(0)),
      difference.toString(),
      difference.format,
      String(difference.scaledValue(0)),
    ];
  },
  labels: (text: string, labels: Labels) =>
    then(values.parseLabelSelector(text), (matcher) => [matcher.toString(), matcher.isEmpty, matcher.matches(labels)]),
  labelSelector: (selector: values.LabelSelectorObject | null, labels: Labels) =>
    then(values.matchLabelSelector(selector ?? undefined), (matcher) => [
      matcher.toString(),
      matcher.isEmpty,
      matcher.matches(labels),
    ]),
  fields: (text: string, fields: Labels) =>
    then(values.parseFieldSelector(text), (matcher) => [
      matcher.toString(),
      matcher.isEmpty,
      matcher.matches((field) => fields[field] ?? ''),
      matcher.exactValue('a') ?? '',
      matcher.exactValue('a') !== undefined,
    ]),
  dns1123Label: (text: string) => values.dns1123LabelProblems(text),
  dns1123LabelBytes: (text: string) => values.dns1123LabelProblems(text, 'bytes'),
  dns1123Subdomain: (text: string) => values.dns1123SubdomainProblems(text),
  dns1123SubdomainBytes: (text: string) => values.dns1123SubdomainProblems(text, 'bytes'),
  dns1123SubdomainCaseless: values.dns1123SubdomainCaselessProblems,
  dns1123SubdomainWithUnderscore: values.dns1123SubdomainWithUnderscoreProblems,
  wildcard: values.wildcardDns1123SubdomainProblems,
  dns1035Label: values.dns1035LabelProblems,
  generatePrefix: (text: string) => values.dns1123SubdomainProblems(values.maskTrailingDash(text)),
  qualifiedName: values.qualifiedNameProblems,
  labelValue: values.labelValueProblems,
  configMapKey: values.configMapKeyProblems,
  cIdentifier: values.cIdentifierProblems,
  envVarName: values.envVarNameProblems,
  relaxedEnvVarName: values.relaxedEnvVarNameProblems,
  portName: values.portNameProblems,
  portNumber: values.portNumberProblems,
  pathSegmentName: values.pathSegmentNameProblems,
  pathSegmentPrefix: values.pathSegmentPrefixProblems,
  httpHeaderName: values.httpHeaderNameProblems,
  percent: values.percentProblems,
  decimalInteger: values.decimalIntegerProblems,
  finalizerName: values.finalizerNameProblems,
  fqn: values.fullyQualifiedNameProblems,
  fqdn: values.fullyQualifiedDomainNameProblems,
  domainPath: values.domainPrefixedPathProblems,
  domainKey: values.domainPrefixedKeyProblems,
  ip: (text: string) => [
    values.ipProblems(text),
    values.legacyIpProblems(text),
    values.legacyIpProblems(text, { isStrict: false }),
    values.ipWarnings('spec', text),
  ],
  cidr: (text: string) => [
    values.cidrProblems(text),
    values.legacyCidrProblems(text),
    values.legacyCidrProblems(text, { isStrict: false }),
    values.interfaceAddressProblems(text),
    values.cidrWarnings('spec', text),
  ],
  time: (text: string) =>
    then(values.parseTime(text), ({ seconds, nanos }) => [values.canonicalTime(text), seconds, nanos]),
  microTime: (text: string) =>
    then(values.parseMicroTime(text), ({ seconds, nanos }) => [values.canonicalMicroTime(text), seconds, nanos]),
  formatTime: (seconds: number, nanos: number) => [
    values.formatTime({ seconds, nanos }),
    values.formatMicroTime({ seconds, nanos }),
  ],
  scale: (value: values.IntOrString | null, total: number) =>
    then(values.scaleIntOrPercent(value ?? undefined, total, { round: 'up' }), (up) => [
      up,
      values.scaleIntOrPercent(value ?? undefined, total, { round: 'down' }),
    ]),
  intstr: (text: string) => [values.parseIntOrString(text), values.intValueOf(text)],
  rv: (text: string) => then(values.parseResourceVersion(text), (version) => String(version)),
  cmprv: values.compareResourceVersions,
  gv: (text: string) =>
    then(values.parseGroupVersion(text), ({ group, version }) => [
      group,
      version,
      values.formatGroupVersion({ group, version }),
      values.formatGroupVersionKind({ group, version, kind: 'Foo' }),
      values.formatGroupVersionResource({ group, version, resource: 'foos' }),
      values.formatGroupKind({ group, kind: 'Foo' }),
      values.formatGroupResource({ group, resource: 'foos' }),
    ]),
  gr: (text: string) => {
    const { group, resource } = values.parseGroupResource(text);
    return [group, resource];
  },
  base64: values.canonicalBase64,
  atoi: (text: string) => then(values.parseGoInteger(text, 'Atoi'), String),
  parseInt32: (text: string) => then(values.parseGoInteger(text, 'ParseInt', 32), String),
  parseUint: (text: string) => then(values.parseGoInteger(text, 'ParseUint'), String),
  quote: values.quoteGo,
};
