#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

/* OSSL_MAC_PARAM_DIGEST is a string literal, which OpenSSL 3.4 turned into a macro that Swift
   may not see as one; a function gives it one type in every version. */
static inline const char *copenssl_mac_param_digest(void) { return OSSL_MAC_PARAM_DIGEST; }
