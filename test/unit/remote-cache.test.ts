// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { remoteOptions, withoutRemoteCache } from '../../engine/cache/remote-options.js';
import { PipelineFailure } from '../../engine/failure.js';

const URL_ONLY = { PIPELINE_REMOTE_CACHE: 'https://cache.example.org/pipeline' };

describe('the shared cache, as the environment names it', () => {
  it.each([undefined, '', '  '])('is none for %j', (text) => {
    expect(remoteOptions({ PIPELINE_REMOTE_CACHE: text })).toBeUndefined();
  });

  it('is a folder, whether the URL ends with a slash or not', () => {
    expect(remoteOptions(URL_ONLY)?.url.href).toBe('https://cache.example.org/pipeline/');
    expect(remoteOptions({ PIPELINE_REMOTE_CACHE: 'http://localhost:8080' })?.url.href).toBe('http://localhost:8080/');
    expect(remoteOptions(URL_ONLY)).toMatchObject({ headers: {}, readOnly: false });
  });

  it('takes the login out of the URL', () => {
    const options = remoteOptions({ PIPELINE_REMOTE_CACHE: 'https://me:p%40ss@cache.example.org/' });
    expect(options?.url.href).toBe('https://cache.example.org/');
    expect(options?.headers).toEqual({ authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}` });
  });

  it('takes a token and headers, the latter stronger', () => {
    const env = { ...URL_ONLY, PIPELINE_REMOTE_CACHE_TOKEN: ' abc ' };
    expect(remoteOptions(env)?.headers).toEqual({ authorization: 'Bearer abc' });
    const headers = 'Authorization: ApiKey x:y\n\nX-Team:  core \n';
    expect(remoteOptions({ ...env, PIPELINE_REMOTE_CACHE_HEADERS: headers })?.headers).toEqual({
      authorization: 'ApiKey x:y',
      'x-team': 'core',
    });
  });

  it.each([
    ['1', true],
    ['TRUE', true],
    ['0', false],
    ['', false],
  ])('is read-only for %j: %j', (text, readOnly) => {
    expect(remoteOptions({ ...URL_ONLY, PIPELINE_REMOTE_CACHE_READ_ONLY: text })?.readOnly).toBe(readOnly);
  });

  it.each([
    [{ PIPELINE_REMOTE_CACHE: 'cache.example.org' }, 'not a URL of http'],
    [{ PIPELINE_REMOTE_CACHE: 'file:///tmp/cache' }, 'not a URL of http'],
    [{ PIPELINE_REMOTE_CACHE: 'https://cache.example.org/?sig=secret' }, 'has a query'],
    [{ ...URL_ONLY, PIPELINE_REMOTE_CACHE_TOKEN: 'secret\nsecret' }, 'PIPELINE_REMOTE_CACHE_TOKEN cannot be sent'],
    [{ ...URL_ONLY, PIPELINE_REMOTE_CACHE_HEADERS: 'X-A: b\nsecret' }, 'PIPELINE_REMOTE_CACHE_HEADERS, line 2'],
    [{ ...URL_ONLY, PIPELINE_REMOTE_CACHE_HEADERS: 'X A: secret' }, 'line 1 cannot be sent'],
    [{ ...URL_ONLY, PIPELINE_REMOTE_CACHE_READ_ONLY: 'maybe' }, 'neither 1 nor 0'],
  ])('refuses %j, and does not repeat what may be a secret', (env, message) => {
    let thrown: unknown;
    try {
      remoteOptions(env);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(PipelineFailure);
    const { failure } = thrown as PipelineFailure;
    expect(failure).toMatchObject({ kind: 'usage', message: expect.stringContaining(message) as string });
    expect(JSON.stringify(failure)).not.toContain('secret');
  });

  it('is not for stages and their programs to see', () => {
    const env = { ...URL_ONLY, PIPELINE_REMOTE_CACHE_TOKEN: 'x', PATH: '/bin', PIPELINE_PYTHONS: 'p' };
    expect(withoutRemoteCache(env)).toEqual({ PATH: '/bin', PIPELINE_PYTHONS: 'p' });
  });
});
