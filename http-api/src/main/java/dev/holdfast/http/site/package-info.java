/**
 * Puts the firewall and the page monitor in front of a site: {@link
 * dev.holdfast.http.site.FirewallFilter} in a container of Jakarta servlets, {@link
 * dev.holdfast.http.site.SiteGuard} in any other server.
 */
@NullMarked
package dev.holdfast.http.site;

import org.jspecify.annotations.NullMarked;
