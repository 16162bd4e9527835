#pragma once
#include <curl/curl.h>

/* curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call.
   One wrapper for each C type of the argument, so that nothing is cast on the way. */

typedef size_t (*ccurl_data_function)(char *data, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(
    CURL *handle, CURLoption option, const struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_data_function(
    CURL *handle, CURLoption option, ccurl_data_function value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_get_number(CURL *handle, CURLINFO key, long *value) {
  return curl_easy_getinfo(handle, key, value);
}

static inline CURLcode ccurl_get_size(CURL *handle, CURLINFO key, curl_off_t *value) {
  return curl_easy_getinfo(handle, key, value);
}

/* CURLMsg keeps the result in a union, which Swift would have to read as raw memory. */
static inline CURLcode ccurl_message_result(const CURLMsg *message) {
  return message->data.result;
}

/* CURL_GLOBAL_DEFAULT is a macro over another macro, which Swift does not import. */
static const long ccurl_global_default = CURL_GLOBAL_DEFAULT;
