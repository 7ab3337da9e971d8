package dev.holdfast.archive;

import org.jspecify.annotations.Nullable;

/**
 * What is restored from an archive, a backup or a data directory. Immutable; change with the {@code
 * with} methods.
 *
 * @param target the moment
 * @param namespace the name of the only namespace to restore; null for all
 * @param object the name of the only object to restore, or its id as 64 hexadecimal digits; null
 *     for all. Only with a namespace
 * @param progress receives what is done
 * @param isPurgeAccepted whether objects whose history was purged since the moment are left as they
 *     are in the data directory or backup; otherwise the restore is refused
 */
public record RestoreRequest(
    RestoreTarget target,
    @Nullable String namespace,
    @Nullable String object,
    RestoreProgress progress,
    boolean isPurgeAccepted) {

  /**
   * Checks that an object has a namespace.
   *
   * @throws IllegalArgumentException if it has none
   */
  public RestoreRequest {
    if (object != null && namespace == null) {
      throw new IllegalArgumentException("The object " + object + " needs its namespace");
    }
  }

  /**
   * {@return a request for everything}
   *
   * @param target the moment
   */
  public static RestoreRequest of(RestoreTarget target) {
    return new RestoreRequest(target, null, null, (_, _, _, _) -> {}, false);
  }

  /**
   * {@return this request, for one namespace}
   *
   * @param name its name
   */
  public RestoreRequest withNamespace(String name) {
    return new RestoreRequest(target, name, null, progress, isPurgeAccepted);
  }

  /**
   * {@return this request, for one object}
   *
   * @param ofNamespace the name of its namespace
   * @param nameOrId its name, or its id as 64 hexadecimal digits
   */
  public RestoreRequest withObject(String ofNamespace, String nameOrId) {
    return new RestoreRequest(target, ofNamespace, nameOrId, progress, isPurgeAccepted);
  }

  /**
   * {@return this request with another receiver of what is done}
   *
   * @param receiver the receiver
   */
  public RestoreRequest withProgress(RestoreProgress receiver) {
    return new RestoreRequest(target, namespace, object, receiver, isPurgeAccepted);
  }

  /**
   * Returns this request for a data directory or a backup in which the history of objects was
   * purged after the moment: their states of then are gone. They stay as they are now, and the
   * result names them; all others go back.
   *
   * @return the request
   */
  public RestoreRequest withoutPurged() {
    return new RestoreRequest(target, namespace, object, progress, true);
  }
}
