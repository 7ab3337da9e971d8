package dev.holdfast.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The properties {@code holdfast.console.*}.
 *
 * @param enabled whether the console is in the web server of the application
 * @param path the path of the console
 * @param operatorRole the role of principals of the application that may change objects; with this
 *     or a viewer's role, no tokens are taken
 * @param viewerRole the role of principals of the application that may only look
 * @param operatorToken the token for the login of operators, at least 20 characters; without any
 *     token and role, one is made at each start and logged
 * @param viewerToken the token for the login of viewers, at least 20 characters
 * @param redacted whether stored values are hidden from everybody
 */
@ConfigurationProperties("holdfast.console")
public record HoldfastConsoleProperties(
    @DefaultValue("false") boolean enabled,
    @DefaultValue("/holdfast") String path,
    @Nullable String operatorRole,
    @Nullable String viewerRole,
    @Nullable String operatorToken,
    @Nullable String viewerToken,
    @DefaultValue("false") boolean redacted) {

  /**
   * Checks the path.
   *
   * @throws InvalidConfigurationPropertyValueException if it does not begin with a slash, or ends
   *     with one
   */
  public HoldfastConsoleProperties {
    if (!path.startsWith("/") || path.endsWith("/") || path.contains("*")) {
      throw new InvalidConfigurationPropertyValueException(
          "holdfast.console.path", path, "It begins with a slash and does not end with one.");
    }
  }
}
