# usage: ruby types.rb DIRECTORY_OF_MODULES
# Prints what Puppet knows about each type in `lib/puppet/type` of the modules, after running its code.
require 'json'
require 'puppet'
root = ARGV[0]
modules = Dir.children(root).sort
Puppet.initialize_settings([])
modules.each { |name| $LOAD_PATH << "#{File.realpath("#{root}/#{name}")}/lib" }
environment = Puppet::Node::Environment.create(:production, [root])
types = modules.flat_map { |name| Dir["#{root}/#{name}/lib/puppet/type/*.rb"].sort.map { |file| File.basename(file, '.rb') } }
KINDS = %w[autorequire autobefore autosubscribe autonotify].freeze
known = types.to_h do |name|
  Puppet.override(current_environment: environment) do
    type = Puppet::Type.type(name.to_sym)
    relations = KINDS.flat_map do |kind|
      found = []
      type.public_send("each#{kind}") { |other, _| found << [kind, other.to_s] }
      found
    end
    values = (type.parameters + type.properties.map(&:name)).to_h do |attribute|
      collection = type.attrclass(attribute).value_collection
      [attribute, { words: collection.values.map(&:to_s), regexes: collection.regexes.map(&:to_s) }]
    end
    [name, { parameters: type.parameters, properties: type.properties.map(&:name), names: type.key_attributes,
             isomorphic: type.isomorphic?, relations: relations, values: values }]
  end
rescue StandardError, ScriptError => e
  [name, { error: e.message }]
end
puts JSON.generate(known)
