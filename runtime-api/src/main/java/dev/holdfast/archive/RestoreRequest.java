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
 */
public record RestoreRequest(
    RestoreTarget target,
    @Nullable String namespace,
    @Nullable String object,
    RestoreProgress progress) {

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
    return new RestoreRequest(target, null, null, (_, _, _, _) -> {});
  }

  /**
   * {@return this request, for one namespace}
   *
   * @param name its name
   */
  public RestoreRequest withNamespace(String name) {
    return new RestoreRequest(target, name, null, progress);
  }

  /**
   * {@return this request, for one object}
   *
   * @param ofNamespace the name of its namespace
   * @param nameOrId its name, or its id as 64 hexadecimal digits
   */
  public RestoreRequest withObject(String ofNamespace, String nameOrId) {
    return new RestoreRequest(target, ofNamespace, nameOrId, progress);
  }

  /**
   * {@return this request with another receiver of what is done}
   *
   * @param receiver the receiver
   */
  public RestoreRequest withProgress(RestoreProgress receiver) {
    return new RestoreRequest(target, namespace, object, receiver);
  }
}
