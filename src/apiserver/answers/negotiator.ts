import type { StatusError } from '../../api/index.ts';
import type { Call } from '../request/call.ts';
import type { IncomingRequest } from '../request/incoming-request.ts';
import type { Resource } from '../resource.ts';
import { type AcceptClause, parseAccept } from './accept.ts';
import { noRouteFor, notAcceptable, notStreamable } from './not-acceptable.ts';
import { type Conversion, type Format, formats, mediaTypes, type Representation } from './representation.ts';

/** What decides, besides the header, how a call is answered. */
interface Target {
  readonly offer: Offer;
  /** Whether the route checks media types before the handler checks their parameters. */
  readonly isRouted: boolean;
  readonly isStream: boolean;
  readonly isCollection: boolean;
}

type Choice =
  | { readonly ok: true; readonly plain: Representation; readonly pretty: Representation }
  | { readonly ok: false; readonly refuse: () => StatusError };

const DEFAULT: Representation = { format: 'json', isPretty: false, conversion: undefined };
const PRETTY: Representation = { ...DEFAULT, isPretty: true };

const MAX_REMEMBERED = 1000;
const MAX_REMEMBERED_LENGTH = 1000;

/**
 * Chooses the representation of an answer. Clients send the same few headers over and over, so the results are cached: at most a thousand,
 * the oldest are removed first.
 */
export class Negotiator {
  readonly #choices = new Map<string, Choice>();

  /**
   * The representation of the object, list or events that the call is about; throws 406 when none fits. It needs only the call, so it can
   * run before any work is done.
   */
  negotiate(call: Call, resource: Resource): Representation {
    const header = call.request.header('accept') ?? '';
    const isPretty = isPrettyWanted(call.request);
    if (header === '' || isConnection(call, resource)) return isPretty ? PRETTY : DEFAULT;
    const target = targetOf(call, resource);
    const choice = this.#choice(header, target);
    if (!choice.ok) throw choice.refuse();
    return isPretty ? choice.pretty : choice.plain;
  }

  /** The representation of a Status; undefined when the client accepts none, and gets indented JSON. */
  forStatus(call: Call, isSuccess: boolean): Representation | undefined {
    const header = call.request.header('accept') ?? '';
    const isPretty = isPrettyWanted(call.request);
    if (header === '') return isPretty ? PRETTY : DEFAULT;
    const choice = this.#choice(header, isSuccess ? successTarget : failureTarget);
    if (!choice.ok) return undefined;
    return isPretty ? choice.pretty : choice.plain;
  }

  #choice(header: string, target: Target): Choice {
    const key = keyOf(header, target);
    const known = this.#choices.get(key);
    if (known !== undefined) return known;
    const choice = choose(header, target);
    if (key.length > MAX_REMEMBERED_LENGTH) return choice;
    if (this.#choices.size >= MAX_REMEMBERED) this.#choices.delete(this.#choices.keys().next().value ?? '');
    this.#choices.set(key, choice);
    return choice;
  }
}

const builtInOffer: Offer = { plainFormats: formats, hasTable: true, hasPartialMetadata: true, serverVersion: 'v1' };
const actionOffer: Offer = { ...builtInOffer, hasTable: false };
const customOffer: Offer = { ...builtInOffer, plainFormats: ['json', 'yaml'] };

/** Errors cannot be converted. */
const statusOffer: Offer = {
  plainFormats: formats,
  hasTable: false,
  hasPartialMetadata: false,
  serverVersion: undefined,
};

const failureTarget: Target = { offer: statusOffer, isRouted: false, isStream: false, isCollection: false };
const successTarget: Target = { ...failureTarget, offer: builtInOffer };

function targetOf({ info, request: { path } }: Call, resource: Resource): Target {
  const { hasProtobuf, refusals } = resource.capabilities;
  const isStream = info.verb === 'watch';
  return {
    offer: !hasProtobuf ? customOffer : hasTable(resource, info.subresource) ? builtInOffer : actionOffer,
    isRouted: refusals === 'route',
    isStream,
    isCollection: (info.verb === 'list' || isStream) && (info.parts.length === 1 || WATCH_PATH.test(path)),
  };
}

/** The legacy watch path, which is a separate route. */
const WATCH_PATH = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/watch\//;

/** A connection decides its media type itself. */
function isConnection({ info }: Call, resource: Resource): boolean {
  return info.subresource !== '' && resource.subresources.get(info.subresource)?.type === 'connection';
}

/** Kinds that are only created, such as reviews and evictions, have no tables. */
function hasTable(resource: Resource, subresource: string): boolean {
  if (subresource !== '') return resource.subresources.get(subresource)?.type !== 'action';
  return resource.verbs.includes('get') || resource.verbs.includes('list');
}

function keyOf(header: string, { offer, isRouted, isStream, isCollection }: Target): string {
  const offered = offer === builtInOffer ? 'b' : offer === customOffer ? 'c' : offer === actionOffer ? 'a' : 's';
  return `${offered}${isRouted ? 'r' : '-'}${isStream ? 'w' : '-'}${isCollection ? 'l' : '-'}${header}`;
}

function choose(header: string, target: Target): Choice {
  const { isCollection } = target;
  if (target.isRouted && !hasRoute(header)) return { ok: false, refuse: () => noRouteFor(isCollection) };
  const chosen = chooseRepresentation(parseAccept(header), target.offer);
  if (chosen === undefined) return { ok: false, refuse: notAcceptable };
  if (target.isStream && chosen.format === 'yaml') return { ok: false, refuse: notStreamable };
  return { ok: true, plain: chosen, pretty: { ...chosen, isPretty: true } };
}

/** Routes compare whole media types, without parameters: they do not match `application/*`. */
function hasRoute(header: string): boolean {
  return header.split(',').some((part) => routed.has((part.split(';', 1)[0] ?? '').trim()));
}

const routed = new Set(['*/*', ...formats.map((format) => mediaTypes[format])]);

/** What an endpoint can serve besides its plain objects. */
interface Offer {
  /** The formats of plain objects; converted objects are available in all formats. */
  readonly plainFormats: readonly Format[];
  readonly hasTable: boolean;
  readonly hasPartialMetadata: boolean;
  /** The version of `meta.k8s.io` that the parameter `sv` may name. */
  readonly serverVersion: string | undefined;
}

/** The best alternative that the offer includes, if any. */
function chooseRepresentation(clauses: readonly AcceptClause[], offer: Offer): Representation | undefined {
  for (const clause of clauses) {
    for (const format of formats) {
      if (!isNamed(format, clause)) continue;
      const chosen = representation(format, clause, offer);
      if (chosen !== undefined) return chosen;
    }
  }
  return undefined;
}

function isNamed(format: Format, { type, subtype }: AcceptClause): boolean {
  if (type === '*') return subtype === '*';
  return type === 'application' && (subtype === '*' || mediaTypes[format] === `application/${subtype}`);
}

function representation(format: Format, { parameters }: AcceptClause, offer: Offer): Representation | undefined {
  const stream = parameters.get('stream') ?? '';
  if (stream !== '' && (stream !== 'watch' || format === 'yaml')) return undefined;
  const serverVersion = parameters.get('sv') ?? '';
  if (serverVersion !== '' && serverVersion !== offer.serverVersion) return undefined;
  const conversion = conversionOf(parameters);
  if (!isOffered(format, conversion, offer)) return undefined;
  return { format, isPretty: parameters.get('pretty') === '1', conversion: conversion as Conversion | undefined };
}

interface AskedConversion {
  readonly kind: string;
  readonly apiVersion: string;
}

function conversionOf(parameters: ReadonlyMap<string, string>): AskedConversion | undefined {
  const kind = parameters.get('as');
  const group = parameters.get('g');
  const version = parameters.get('v');
  if (kind === undefined && group === undefined && version === undefined) return undefined;
  return { kind: kind ?? '', apiVersion: `${group ?? ''}/${version ?? ''}` };
}

function isOffered(format: Format, conversion: AskedConversion | undefined, offer: Offer): boolean {
  if (conversion === undefined) return offer.plainFormats.includes(format);
  if (conversion.apiVersion !== 'meta.k8s.io/v1' && conversion.apiVersion !== 'meta.k8s.io/v1beta1') return false;
  switch (conversion.kind) {
    case 'Table':
      return offer.hasTable && format !== 'protobuf';
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return offer.hasPartialMetadata;
    default:
      return false;
  }
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Whether JSON is indented: when the query says so, or when the query is silent and the client looks like a person's. */
function isPrettyWanted(request: IncomingRequest): boolean {
  const asked = request.query.text.includes('pretty') ? request.query.get('pretty') : '';
  if (asked !== '') return TRUE.has(asked);
  const agent = request.header('user-agent');
  return agent !== undefined && isBrowserLike(agent);
}

function isBrowserLike(agent: string): boolean {
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0');
}
