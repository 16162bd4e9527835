/* Tells ThreadSanitizer about the locks of Swift's Synchronization module.

   A lock that is free is taken and given back in code that the compiler instruments. One that is
   contended goes through the module's library, which nobody instrumented: without these functions
   before the library's own, the sanitizer would see no order between two threads that used it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void (*lock_function)(uint32_t, SELF);
typedef __attribute__((swiftcall)) _Bool (*try_lock_function)(SELF);
typedef __attribute__((swiftcall)) void (*unlock_function)(SELF);

static void tell(const char *name, void *lock) {
  void (*function)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, name);
  if (function) function(lock);
}

__attribute__((swiftcall)) void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
__attribute__((swiftcall)) void lock_slow(uint32_t thread, SELF) {
  ((lock_function)dlsym(RTLD_NEXT, LOCK))(thread, self);
  tell("__tsan_acquire", self);
}

__attribute__((swiftcall)) _Bool try_lock_slow(SELF) __asm__(TRY_LOCK);
__attribute__((swiftcall)) _Bool try_lock_slow(SELF) {
  _Bool is_taken = ((try_lock_function)dlsym(RTLD_NEXT, TRY_LOCK))(self);
  if (is_taken) tell("__tsan_acquire", self);
  return is_taken;
}

__attribute__((swiftcall)) void unlock_slow(SELF) __asm__(UNLOCK);
__attribute__((swiftcall)) void unlock_slow(SELF) {
  tell("__tsan_release", self);
  ((unlock_function)dlsym(RTLD_NEXT, UNLOCK))(self);
}
