package dev.holdfast.http.internal.ruleset;

import dev.holdfast.http.internal.call.Call;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Called before an entry point is written: the migration is part of its replacement. */
public interface EntryPointGuard {

  /**
   * Checks whether an entry point may be replaced.
   *
   * @param call the request
   * @param phase the phase
   * @param rules the new rules
   * @throws dev.holdfast.http.internal.error.ApiException if it may not
   */
  void beforeUpdate(Call call, String phase, List<ObjectNode> rules);

  /**
   * Checks whether an entry point may have some rules, independent of how they are written.
   *
   * @param phase the phase
   * @param rules the rules that it would have
   * @throws dev.holdfast.http.internal.error.ApiException if it may not
   */
  void beforeWrite(String phase, List<ObjectNode> rules);
}
