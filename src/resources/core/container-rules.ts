import {
  asJson,
  dns1123LabelProblems,
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  portNameProblems,
  portNumberProblems,
  required,
  tooMany,
} from '../../api/index.ts';
import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  ContainerRestartRule,
  Volume,
} from '../../api/types/core/v1.d.ts';
import { checkEnv, checkEnvFrom } from './env-rules.ts';
import { checkDevices, checkMounts } from './mount-rules.ts';
import { checkRequirements } from './resource-rules.ts';
import { checkContainerSecurity } from './security-context-rules.ts';

/** The facts about a pod that its containers are checked against. */
export interface PodFacts {
  /** The volumes that can be mounted, by name. */
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly claims: ReadonlySet<string>;
  /** Whether the containers' users are users of the node. */
  readonly hostUsers: boolean;
  readonly restartPolicy: string;
}

const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

/** The rules of all three kinds of containers. */
export function checkContainer(container: Container, field: string, pod: PodFacts): FieldError[] {
  const { name = '', image = '' } = container;
  return [
    ...(name === ''
      ? [required(`${field}.name`)]
      : dns1123LabelProblems(name).map((problem) => invalidValue(`${field}.name`, name, problem))),
    ...(image === '' ? [required(`${field}.image`)] : []),
    ...checkChoice(container.terminationMessagePolicy, `${field}.terminationMessagePolicy`, MESSAGE_POLICIES),
    ...checkPorts(container.ports ?? [], `${field}.ports`),
    ...checkEnv(container.env ?? [], `${field}.env`),
    ...checkEnvFrom(container.envFrom ?? [], `${field}.envFrom`),
    ...checkMounts(container, `${field}.volumeMounts`, pod.volumes),
    ...checkDevices(container, `${field}.volumeDevices`, pod.volumes),
    ...checkPullPolicy(container.imagePullPolicy, `${field}.imagePullPolicy`),
    ...checkRequirements(container.resources, `${field}.resources`, pod),
    ...checkResizePolicy(container.resizePolicy ?? [], `${field}.resizePolicy`, pod),
    ...checkContainerSecurity(container.securityContext, `${field}.securityContext`, pod),
  ];
}

/** One of a few values, which has to be given. */
export function checkChoice(value: string | undefined, field: string, choices: readonly string[]): FieldError[] {
  if ((value ?? '') === '') return [required(field)];
  return choices.includes(value ?? '') ? [] : [notSupported(field, asJson(value ?? ''), choices)];
}

export function checkPullPolicy(policy: string | undefined, field: string): FieldError[] {
  return checkChoice(policy, field, PULL_POLICIES);
}

function checkPorts(ports: readonly ContainerPort[], field: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = '', containerPort = 0, hostPort = 0, protocol }, index) => {
    const at = `${field}[${index}]`;
    const problems = name === '' ? [] : portNameProblems(name);
    const isTaken = problems.length === 0 && names.has(name);
    if (problems.length === 0 && name !== '') names.add(name);
    return [
      ...problems.map((problem) => invalidValue(`${at}.name`, name, problem)),
      ...(isTaken ? [duplicate(`${at}.name`, name)] : []),
      ...(containerPort === 0
        ? [required(`${at}.containerPort`)]
        : portNumberProblems(containerPort).map((text) => invalidValue(`${at}.containerPort`, containerPort, text))),
      ...(hostPort === 0
        ? []
        : portNumberProblems(hostPort).map((text) => invalidValue(`${at}.hostPort`, hostPort, text))),
      ...checkChoice(protocol, `${at}.protocol`, PROTOCOLS),
    ];
  });
}

const RESIZED = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

/** Upstream reports problems of single entries at the list. */
function checkResizePolicy(
  policies: readonly ContainerResizePolicy[],
  field: string,
  { restartPolicy: ofPod }: PodFacts,
): FieldError[] {
  const names = new Set<string>();
  return policies.flatMap(({ resourceName = '', restartPolicy = '' }, index) => {
    const isTaken = names.has(resourceName);
    names.add(resourceName);
    const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
    return [
      ...(isTaken ? [duplicate(`${field}[${index}]`, resourceName)] : []),
      ...checkChoice(resourceName, field, RESIZED),
      ...checkChoice(restartPolicy, field, RESIZE_POLICIES),
      ...(ofPod === 'Never' && restartPolicy !== 'NotRequired' ? [invalidValue(field, restartPolicy, detail)] : []),
    ];
  });
}

const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'];
const RULE_ACTIONS = ['Restart', 'RestartAllContainers'];
const OPERATORS = ['In', 'NotIn'];
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

/** When a container restarts, where it differs from its pod. */
export function checkRestartPolicy(
  { restartPolicy, restartPolicyRules: rules = [] }: Container,
  field: string,
): FieldError[] {
  const at = `${field}.restartPolicy`;
  const errors: FieldError[] = [];
  if (restartPolicy === undefined) {
    if (rules.length === 0) return [];
    errors.push(required(at, 'must specify restartPolicy when restart rules are used'));
  } else if (!RESTART_POLICIES.includes(restartPolicy)) {
    errors.push(notSupported(at, asJson(restartPolicy ?? ''), RESTART_POLICIES));
  }
  if (rules.length > MAX_RULES) errors.push(tooMany(`${field}.restartPolicyRules`, rules.length, MAX_RULES));
  return [
    ...errors,
    ...rules.flatMap((rule, index) => checkRestartRule(rule, `${field}.restartPolicyRules[${index}]`)),
  ];
}

function checkRestartRule({ action = '', exitCodes }: ContainerRestartRule, field: string): FieldError[] {
  const errors = RULE_ACTIONS.includes(action)
    ? []
    : [notSupported(`${field}.action`, asJson(action ?? ''), RULE_ACTIONS)];
  const at = `${field}.exitCodes`;
  if (exitCodes === undefined) return [...errors, required(at, 'must be specified')];
  const { operator = '', values = [] } = exitCodes;
  if (!OPERATORS.includes(operator)) errors.push(notSupported(`${at}.operator`, asJson(operator ?? ''), OPERATORS));
  if (values.length > MAX_EXIT_CODES) errors.push(tooMany(`${at}.values`, values.length, MAX_EXIT_CODES));
  return errors;
}
