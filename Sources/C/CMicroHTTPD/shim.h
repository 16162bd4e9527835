#pragma once
#include <microhttpd.h>

/* MHD_start_daemon is variadic, which Swift cannot call. Its array form takes every option that
   is needed here, as one list that ends with MHD_OPTION_END. */
static inline struct MHD_Daemon *cmhd_start(
    unsigned int flags, MHD_AccessHandlerCallback handler, void *context,
    const struct MHD_OptionItem *options) {
  return MHD_start_daemon(
      flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

/* MHD_get_connection_info is variadic, and answers with a union that holds what was asked for. */
static inline int cmhd_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

static inline const struct sockaddr *cmhd_client_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info == NULL ? NULL : info->client_addr;
}

static inline size_t cmhd_header_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}

/* What MHD_OPTION_NOTIFY_CONNECTION stored for the life of the connection. */
static inline void *cmhd_connection_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

/* The enumerators of MHD_ResponseMemoryMode are hidden from Swift by macros of the same names,
   which only exist to warn about older ones. */
static const enum MHD_ResponseMemoryMode cmhd_must_copy = MHD_RESPMEM_MUST_COPY;

/* Function pointers do not convert to the integer that an option item carries. */
static inline struct MHD_OptionItem cmhd_completed_option(
    MHD_RequestCompletedCallback callback, void *context) {
  struct MHD_OptionItem item = {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)callback, context};
  return item;
}

static inline struct MHD_OptionItem cmhd_connection_option(
    MHD_NotifyConnectionCallback callback, void *context) {
  struct MHD_OptionItem item = {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)callback, context};
  return item;
}
