package dev.holdfast.spring;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.console.ConsoleOptions;
import dev.holdfast.console.ConsoleRole;
import dev.holdfast.console.ConsoleServlet;
import dev.holdfast.console.ConsoleToken;
import java.lang.System.Logger.Level;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The console in the web server of the application, if {@code holdfast.console.enabled} is set.
 *
 * <p>A bean of the type {@link ConsoleLogin} decides what each person may do; without one, the
 * roles of the properties; without those, tokens.
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnProperty("holdfast.console.enabled")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(ObjectRuntime.class)
@EnableConfigurationProperties(HoldfastConsoleProperties.class)
public final class HoldfastConsoleAutoConfiguration {

  /** For Spring. */
  public HoldfastConsoleAutoConfiguration() {}

  /** Apart: its class cannot be loaded without the artifact. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "dev.holdfast.console.ConsoleServlet")
  static class WithTheArtifact {

    private static final System.Logger LOG = System.getLogger("dev.holdfast.spring");

    @Bean
    ServletRegistrationBean<ConsoleServlet> holdfastConsole(
        ObjectRuntime runtime,
        HoldfastConsoleProperties properties,
        ObjectProvider<ConsoleLogin> login) {
      ConsoleOptions options = options(properties, login.getIfAvailable());
      ServletRegistrationBean<ConsoleServlet> console =
          new ServletRegistrationBean<>(
              new ConsoleServlet(runtime, options), properties.path() + "/*");
      console.setName("holdfastConsole");
      return console;
    }

    private static ConsoleOptions options(
        HoldfastConsoleProperties properties, @Nullable ConsoleLogin login) {
      ConsoleOptions options =
          properties.redacted() ? ConsoleOptions.DEFAULT.withRedaction() : ConsoleOptions.DEFAULT;
      if (login != null) {
        return options.withLogin(login);
      }
      String operator = properties.operatorRole();
      String viewer = properties.viewerRole();
      if (operator != null || viewer != null) {
        return options.withLogin(
            request ->
                operator != null && request.isUserInRole(operator)
                    ? Optional.of(ConsoleRole.OPERATOR)
                    : viewer != null && request.isUserInRole(viewer)
                        ? Optional.of(ConsoleRole.VIEWER)
                        : Optional.empty());
      }
      String token = properties.operatorToken();
      if (token == null && properties.viewerToken() == null) {
        token = ConsoleToken.random();
        LOG.log(
            Level.WARNING,
            "The console at {0} has no token or role in holdfast.console. Until the end of this"
                + " process, this token logs an operator in: {1}",
            properties.path(),
            token);
      }
      options = with(options, ConsoleRole.OPERATOR, token, "operator-token");
      return with(options, ConsoleRole.VIEWER, properties.viewerToken(), "viewer-token");
    }

    private static ConsoleOptions with(
        ConsoleOptions options, ConsoleRole role, @Nullable String token, String property) {
      if (token == null) {
        return options;
      }
      try {
        return options.withToken(ConsoleToken.of(role, token));
      } catch (IllegalArgumentException e) {
        throw new IllegalStateException("holdfast.console." + property + ": " + e.getMessage(), e);
      }
    }
  }

  /** Refuses the start. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingClass("dev.holdfast.console.ConsoleServlet")
  static class WithoutTheArtifact {

    WithoutTheArtifact() {
      throw new InvalidConfigurationPropertyValueException(
          "holdfast.console.enabled",
          true,
          "The console is not on the class path. Add the dependency dev.holdfast:holdfast-console,"
              + " or leave the property out.");
    }
  }
}
