#include "CPlatformProcess.h"

#include <stdlib.h>

#ifdef __APPLE__

#include <CommonCrypto/CommonDigest.h>

struct cplatform_sha256 {
  CC_SHA256_CTX context;
};

struct cplatform_sha256 *cplatform_sha256_begin(void) {
  struct cplatform_sha256 *hash = malloc(sizeof *hash);
  if (hash != NULL) CC_SHA256_Init(&hash->context);
  return hash;
}

void cplatform_sha256_update(struct cplatform_sha256 *hash, const void *bytes, size_t count) {
  // The library counts by 32 bits.
  const char *rest = bytes;
  while (count > 0) {
    size_t step = count < 1u << 30 ? count : 1u << 30;
    CC_SHA256_Update(&hash->context, rest, (CC_LONG)step);
    rest += step;
    count -= step;
  }
}

void cplatform_sha256_end(struct cplatform_sha256 *hash, uint8_t digest[32]) {
  if (digest != NULL) CC_SHA256_Final(digest, &hash->context);
  free(hash);
}

#else

#include <dlfcn.h>
#include <pthread.h>

// Linked, the library would take a sixth of the time that a command needs to start. So it is loaded by
// whoever wants it: these are the functions of its interface EVP, which versions 1.1 and 3 share.
static struct {
  const void *(*sha256)(void);
  void *(*make)(void);
  int (*begin)(void *context, const void *type, void *engine);
  int (*update)(void *context, const void *bytes, size_t count);
  int (*finish)(void *context, unsigned char *digest, unsigned int *count);
  void (*release)(void *context);
} evp;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded;

static void load(void) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) library = dlopen("libcrypto.so.1.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  *(void **)&evp.sha256 = dlsym(library, "EVP_sha256");
  *(void **)&evp.make = dlsym(library, "EVP_MD_CTX_new");
  *(void **)&evp.begin = dlsym(library, "EVP_DigestInit_ex");
  *(void **)&evp.update = dlsym(library, "EVP_DigestUpdate");
  *(void **)&evp.finish = dlsym(library, "EVP_DigestFinal_ex");
  *(void **)&evp.release = dlsym(library, "EVP_MD_CTX_free");
  is_loaded = evp.sha256 && evp.make && evp.begin && evp.update && evp.finish && evp.release;
}

struct cplatform_sha256 {
  void *context;
};

struct cplatform_sha256 *cplatform_sha256_begin(void) {
  pthread_once(&once, load);
  if (!is_loaded) return NULL;
  struct cplatform_sha256 *hash = malloc(sizeof *hash);
  if (hash == NULL) return NULL;
  hash->context = evp.make();
  if (hash->context == NULL || evp.begin(hash->context, evp.sha256(), NULL) != 1) {
    cplatform_sha256_end(hash, NULL);
    return NULL;
  }
  return hash;
}

void cplatform_sha256_update(struct cplatform_sha256 *hash, const void *bytes, size_t count) {
  evp.update(hash->context, bytes, count);
}

void cplatform_sha256_end(struct cplatform_sha256 *hash, uint8_t digest[32]) {
  if (digest != NULL) evp.finish(hash->context, digest, NULL);
  if (hash->context != NULL) evp.release(hash->context);
  free(hash);
}

#endif
