#pragma once
#include <microhttpd.h>

/* The enumerations of this library reach Swift under other names from version to version: closed
   enums since 0.9.71, plain constants before. So none is used there; these stand for them. */

static const enum MHD_Result cmhd_yes = MHD_YES;
static const enum MHD_Result cmhd_no = MHD_NO;

static inline int cmhd_is_complete(enum MHD_RequestTerminationCode code) {
  return code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
}

static inline int cmhd_is_start(enum MHD_ConnectionNotificationCode code) {
  return code == MHD_CONNECTION_NOTIFY_STARTED;
}

/* Queues an answer whose body the library copies. */
static inline struct MHD_Response *cmhd_response(const void *body, size_t size) {
  return MHD_create_response_from_buffer(size, (void *)body, MHD_RESPMEM_MUST_COPY);
}

static inline void cmhd_each_header(
    struct MHD_Connection *connection, MHD_KeyValueIterator iterator, void *context) {
  MHD_get_connection_values(connection, MHD_HEADER_KIND, iterator, context);
}

/* MHD_get_connection_info is variadic, which Swift cannot call, and answers with a union that
   holds what was asked for. */

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

/* What the connection callback stored for the life of the connection. */
static inline void *cmhd_connection_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

/* All that MHD_start_daemon is told; it is variadic, and its types must be exact. */
struct cmhd_settings {
  int listen_socket;
  unsigned int thread_count;
  unsigned int connection_limit;
  unsigned int connection_limit_per_address;
  unsigned int idle_seconds;
  size_t connection_memory_size;
  const char *key;         /* PEM, or NULL for plain HTTP */
  const char *certificate; /* PEM, or NULL for plain HTTP */
  MHD_AccessHandlerCallback access;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  void *context;
};

/* With poll, not epoll: there, both MHD_quiesce_daemon and a thread of the pool take the listening
   socket out of that thread's set, and the library ends the process where the other was first. */
static inline struct MHD_Daemon *cmhd_start(const struct cmhd_settings *settings) {
  unsigned int flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->key},
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->certificate},
      {MHD_OPTION_END, 0, NULL},
  };
  struct MHD_OptionItem *more = &tls[2];
  if (settings->key != NULL && settings->certificate != NULL) {
    flags |= MHD_USE_TLS;
    more = tls;
  }
  return MHD_start_daemon(
      flags, 0, NULL, NULL, settings->access, settings->context,
      MHD_OPTION_LISTEN_SOCKET, settings->listen_socket,
      MHD_OPTION_THREAD_POOL_SIZE, settings->thread_count,
      MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, settings->connection_limit_per_address,
      MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory_size,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context,
      MHD_OPTION_NOTIFY_CONNECTION, settings->connection, settings->context,
      MHD_OPTION_ARRAY, more, MHD_OPTION_END);
}
