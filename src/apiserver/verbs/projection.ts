import { canonicalize, conflict, invalid, notFound, OBJECT_MODIFIED } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import type { Answer } from '../answers/answer.ts';
import { groupResource, keyOf, writeContext } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { decodeObject } from '../request/decode-object.ts';
import { writeOptions } from '../request/options.ts';
import type { WriteOptions } from '../request/options.ts';
import type { Projection, Resource } from '../resource.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { modifyObject } from './modify-object.ts';
import { patchMethodOf } from './patch-methods.ts';

/** GET …/scale and the like: another kind's picture of the object. */
export async function getProjection(call: Call, endpoint: Endpoint, projection: Projection): Promise<Answer> {
  const { resource, objects } = endpoint;
  const stored = await objects.get(keyOf(resource, call.info.namespace, call.info.name));
  if (stored === undefined) throw notFound(groupResource(resource), call.info.name);
  const picture = projection.project(stored.as(resource));
  return { type: 'object', code: 200, resource: pictureOf(resource, projection), object: picture };
}

/** PUT a picture: what it says is carried over into the object. */
export async function updateProjection(call: Call, endpoint: Endpoint, projection: Projection): Promise<Answer> {
  const options = writeOptions(call.query, 'UpdateOptions');
  const target = pictureOf(endpoint.resource, projection);
  const { services } = endpoint;
  const sent = await decodeObject(call, target, { fieldValidation: options.fieldValidation, services });
  return writeProjection(call, endpoint, { projection, options, change: () => sent });
}

/** PATCH a picture as if it were stored. */
export async function patchProjection(call: Call, endpoint: Endpoint, projection: Projection): Promise<Answer> {
  const method = patchMethodOf(call);
  const body = await call.body(endpoint.services.maxBodyBytes);
  const options = writeOptions(call.query, 'PatchOptions');
  const apply = method.prepare(body, {
    fieldValidation: options.fieldValidation,
    warn: (text) => call.warnings.add(text),
  });
  const change = (picture: ApiObject): ApiObject =>
    canonicalize(apply(picture), projection.struct) as unknown as ApiObject;
  return writeProjection(call, endpoint, { projection, options, change });
}

interface ProjectionWrite {
  readonly projection: Projection;
  readonly options: WriteOptions;
  change(picture: ApiObject): ApiObject;
}

async function writeProjection(call: Call, endpoint: Endpoint, write: ProjectionWrite): Promise<Answer> {
  const { resource } = endpoint;
  const { projection, options } = write;
  const { namespace, name } = call.info;
  const result = await modifyObject(endpoint, {
    key: keyOf(resource, namespace, name),
    name,
    namespace,
    context: writeContext(call, endpoint, options),
    strategy: resource.strategy,
    retries: PROJECTION_RETRIES,
    change: (current) => {
      const picture = write.change(projection.project(current));
      const errors = projection.validate(picture);
      if (errors.length > 0) throw invalid({ group: projection.kind.group, resource: projection.kind.kind }, name, errors);
      const sent = picture.metadata.resourceVersion ?? '';
      if (sent !== '' && sent !== current.metadata.resourceVersion) {
        throw conflict(groupResource(resource), name, OBJECT_MODIFIED);
      }
      return projection.merge(current, picture);
    },
  });
  const object = result instanceof StoredObject ? result.as(resource) : result;
  return { type: 'object', code: 200, resource: pictureOf(resource, projection), object: projection.project(object) };
}

const PROJECTION_RETRIES = 5;

/** The resource as the picture's kind, for decoding and encoding it. */
function pictureOf(resource: Resource, { kind, struct, columns = [] }: Projection): Resource {
  return { ...resource, ...kind, type: struct, columns };
}
